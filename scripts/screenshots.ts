// Pictures of every page of the web app: light and dark, desktop and phone, English and Japanese.
// `npm run screenshots -- [--out FOLDER] [--only PART] [--tall]`; a temporary folder unless told.
// `--only` takes pages whose name has this part; `--tall` makes the window as high as the page.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../test/browser-launch.ts';
import { complaintsOf, quiet } from '../test/page-checks.ts';
import { type Showcase, startShowcase } from '../test/showcase.ts';

const DEVICES = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };
const LANGUAGES = { en: 'en-GB', ja: 'ja-JP' };
const THEMES = ['light', 'dark'] as const;
/** The highest window. */
const TALL_MAX = 4000;

const { values: options } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    tall: { type: 'boolean', default: false },
  },
});

interface Shot {
  readonly name: string;
  readonly path: string;
  /** What is done on the page before. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const tab = (index: number) => (page: Page) => page.getByRole('tab').nth(index).click();
const firstButton = (selector: string) => (page: Page) => page.locator(selector).first().click();

function shots({ sessions }: Showcase): Shot[] {
  const detail = `/s/${sessions.claude}/detail`;
  return [
    { name: 'start', path: '/' },
    { name: 'new', path: '/new' },
    { name: 'inbox', path: '/inbox' },
    { name: 'session-claude', path: `/s/${sessions.claude}` },
    { name: 'session-failed', path: `/s/${sessions.failed}` },
    { name: 'session-running', path: `/s/${sessions.running}` },
    { name: 'session-completed', path: `/s/${sessions.completed}` },
    { name: 'session-error', path: `/s/${sessions.error}` },
    { name: 'dashboard', path: '/dashboard' },
    { name: 'detail', path: detail },
    { name: 'detail-runs', path: detail, act: tab(1) },
    { name: 'detail-rules', path: detail, act: tab(2) },
    { name: 'detail-edit', path: detail, act: tab(3) },
    { name: 'detail-events', path: detail, act: tab(4) },
    { name: 'detail-error', path: `/s/${sessions.error}/detail` },
    { name: 'settings', path: '/settings' },
    ...['profile', 'tokens', 'users', 'rules', 'audit', 'nodes'].map((section) => ({
      name: `settings-${section}`,
      path: `/settings/${section}`,
    })),
    { name: 'settings-new-token', path: '/settings/tokens', act: firstButton('main button') },
  ];
}

async function take(browser: Browser, showcase: Showcase, out: string): Promise<void> {
  const wanted = shots(showcase).filter(({ name }) => name.includes(options.only));
  const first = await browser.newContext();
  const entry = await first.newPage();
  await entry.goto(showcase.link);
  await entry.waitForURL(`${showcase.url}/`);
  const cookies = await first.cookies();
  await first.close();
  for (const [language, locale] of Object.entries(LANGUAGES)) {
    for (const [device, viewport] of Object.entries(DEVICES)) {
      for (const colorScheme of THEMES) {
        const context = await browser.newContext({
          locale,
          viewport,
          colorScheme,
          reducedMotion: 'reduce',
        });
        await context.addCookies(cookies);
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        for (const { name, path, act } of wanted) {
          await page.setViewportSize(viewport);
          await page.goto(`${showcase.url}${path}`);
          await quiet(page);
          await act?.(page);
          await quiet(page);
          if (options.tall) await page.setViewportSize(await whole(page, viewport));
          const file = `${name}-${language}-${device}-${colorScheme}.png`;
          await page.screenshot({ path: join(out, file) });
          for (const complaint of complaints.splice(0))
            process.stdout.write(`${file}: ${complaint}\n`);
        }
        await context.close();
      }
    }
  }
}

/** So high that nothing of the page is left to scroll to. */
async function whole(page: Page, { width, height }: { width: number; height: number }) {
  const more = (await page.evaluate(
    `(() => { const box = document.querySelector('main .overflow-y-auto');
       return box === null ? 0 : box.scrollHeight - box.clientHeight; })()`,
  )) as number;
  return { width, height: Math.min(TALL_MAX, height + more) };
}

const out = options.out ?? mkdtempSync(join(tmpdir(), 'baton-screenshots-'));
mkdirSync(out, { recursive: true });
const showcase = await startShowcase();
try {
  const browser = await launch();
  try {
    await take(browser, showcase, out);
  } finally {
    await browser.close();
  }
} finally {
  await showcase.stop();
}
process.stdout.write(`${out}\n`);
