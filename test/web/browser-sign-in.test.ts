import { expect, test } from 'vitest';
import { TOKEN } from '../support/server-rig.ts';
import { browser } from './browser.ts';
import { secretOf, siteOf } from './browser-rig.ts';

const chromium = browser();

test('[X1] signing in with a token by keyboard alone leads to the requested page; signing out works', async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const visitor = await site.visitor();
  const { page } = visitor;
  await page.goto(`${url}/docs`);
  await page.waitForURL(`${url}/sign-in?next=%2Fdocs`);
  const field = page.getByLabel('Token');
  await field.fill('not-a-token');
  await field.press('Enter');
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('not valid');
  // The invalid field has the focus and announces the error.
  const focused = page.locator('input:focus');
  expect(await focused.getAttribute('aria-describedby')).toBe('bad');
  await page.keyboard.type(TOKEN);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/docs`);
  await page.goto(`${url}/settings/profile`);
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.waitForURL(`${url}/sign-in`);
  expect(await secretOf(visitor)).toBeUndefined();
  await page.goto(`${url}/`);
  await page.waitForURL(`${url}/sign-in`);
});

test('[X1] without scripts the button of a sign-in link works', async () => {
  const site = await siteOf(chromium());
  const visitor = await site.visitor({ javaScriptEnabled: false });
  await visitor.page.goto(site.link);
  expect(await secretOf(visitor)).toBeUndefined();
  await visitor.page.getByRole('button', { name: 'Sign in' }).first().click();
  await visitor.page.waitForURL(`${site.server.url}/`);
  expect(await secretOf(visitor)).toBeDefined();
});

test.each([360, 1280])(
  'the pages fit %i px in both languages, without words cut off or complaints of the browser',
  async (width) => {
    const site = await siteOf(chromium());
    for (const locale of ['en-GB', 'ja-JP']) {
      const { page } = await site.visitor({ locale, viewport: { width, height: 640 } });
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      const wide = () => page.evaluate('document.documentElement.scrollWidth');
      await page.goto(`${site.server.url}/sign-in`);
      expect(await wide()).toBeLessThanOrEqual(width);
      expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
      await page.goto(`${site.server.url}/sign-in?code=${await site.code()}`);
      await page.waitForURL(`${site.server.url}/`);
      expect(await wide()).toBeLessThanOrEqual(width);
      expect(complaints).toEqual([]);
    }
  },
);
