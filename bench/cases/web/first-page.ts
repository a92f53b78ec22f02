import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import type { BatonServer } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { openBrowser, perform, signedIn, webServer } from './visit.ts';

/** A page is done loading after this time without a request. */
const QUIET_MS = 1500;
const LOCALES = ['en-GB', 'ja-JP'];

/** The gzipped JavaScript that a page loads until it is idle, on each path, and the maximum. */
export const firstPage: Case = async ({ resources, report }) => {
  const server = await webServer(resources);
  const browser = await openBrowser(resources);
  const words = await server.session('words', 'claude');
  await perform(server, words, { do: 'marks', count: 20, everyMs: 1 });
  const code = await server.session('words and code', 'claude');
  await perform(server, code, { do: 'work', steps: 5, end: 'The end' });
  const pages: Readonly<Record<string, { path: string; shows: string }>> = {
    '/': { path: '/', shows: 'textarea' },
    '/new': { path: '/new', shows: 'textarea' },
    '/inbox': { path: '/inbox', shows: 'main h1' },
    '/dashboard': { path: '/dashboard', shows: 'main h1' },
    '/s/…': { path: `/s/${words.id}`, shows: '[role="log"] strong' },
    '/s/… with code': { path: `/s/${code.id}`, shows: '[role="log"] h3' },
    '/s/…/detail': { path: `/s/${code.id}/detail`, shows: 'main h1' },
    '/settings': { path: '/settings', shows: 'main h1' },
  };
  let most = 0;
  for (const [name, page] of Object.entries(pages)) {
    const sizes = [];
    for (const locale of LOCALES) sizes.push(await scriptsOf(server, browser, page, locale));
    const size = Math.max(...sizes);
    report({ metric: `JavaScript of ${name}, gzip`, value: size / 1000, unit: 'kB' });
    most = Math.max(most, size);
  }
  report({ metric: 'JavaScript of a first page, gzip, most', value: most / 1000, unit: 'kB' });
  await browser.close();
  await server.program.stop();
};

async function scriptsOf(
  server: BatonServer,
  browser: Browser,
  { path, shows }: { path: string; shows: string },
  locale: string,
): Promise<number> {
  const context = await signedIn(server, browser, { locale });
  const page = await context.newPage();
  const sizes: Promise<number>[] = [];
  let last = Date.now();
  page.on('response', (response) => {
    if (!response.url().endsWith('.js')) return;
    last = Date.now();
    sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await page.goto(`${server.url}${path}`);
  await page.locator(shows).first().waitFor();
  while (Date.now() - last < QUIET_MS) await page.waitForTimeout(100);
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return total;
}
