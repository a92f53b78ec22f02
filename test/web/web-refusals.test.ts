import { expect, test, vi } from 'vitest';
import { browser } from './browser.ts';
import { siteOf } from './browser-rig.ts';
import { complaintsOf } from './page-checks.ts';

vi.setConfig({ testTimeout: 180_000 });
const NAME = 'box.tail1234.ts.net';
const chromium = browser([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);

const BORDER_RADIUS = "getComputedStyle(document.querySelector('main')).borderRadius";

test('[C2] an unknown address shows a page, signed in or not', async () => {
  const site = await siteOf(chromium());
  const { page } = await site.signedIn();
  const answer = await page.goto(`${site.server.url}/nope`);
  expect(answer?.status()).toBe(404);
  await page.getByText('Page not found.').waitFor();
  await page.getByRole('link', { name: 'Sessions' }).first().click();
  await page.waitForURL(`${site.server.url}/`);

  const stranger = await site.visitor();
  await stranger.page.goto(`${site.server.url}/nope`);
  await stranger.page.waitForURL(`${site.server.url}/sign-in?next=%2Fnope`);
  await stranger.page.getByRole('heading', { name: 'Sign in to Baton' }).waitFor();
});

test('[X4] under an unknown host name the browser shows which setting to change', async () => {
  const site = await siteOf(chromium());
  const { port } = new URL(site.server.url);
  for (const [locale, title] of [
    ['en-GB', 'Baton is not set up for this address'],
    ['ja-JP', 'このアドレスではBatonを利用できません'],
  ] as const) {
    const { page } = await site.visitor({ locale });
    const complaints = complaintsOf(page);
    const answer = await page.goto(`http://${NAME}:${port}/s/x`);
    expect(answer?.status()).toBe(403);
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByText(`BATON_ALLOWED_HOSTS=${NAME}`).waitFor();
    // Its style sheet is allowed although nothing else is.
    expect(await page.evaluate(BORDER_RADIUS)).toBe('6px');
    expect(complaints.filter((each) => each.includes('Content Security Policy'))).toEqual([]);
  }
});
