import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { casesOf, DEPTH } from '../support/depth.ts';
import { browser } from './browser.ts';
import { barriersOn, complaintsOf, layoutFaultsOn, quiet, strangersOf } from './page-checks.ts';
import { type Showcase, startShowcase } from './showcase.ts';
import { DEVICES, everyPage, LANGUAGES } from './showcase-pages.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });
const chromium = browser();

let showcase: Showcase;
let signedIn: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>;

beforeAll(async () => {
  showcase = await startShowcase();
  const context = await chromium().newContext();
  const page = await context.newPage();
  await page.goto(showcase.link);
  await page.waitForURL(`${showcase.url}/`);
  signedIn = await context.storageState();
  await context.close();
});
afterAll(() => showcase?.stop());

const NAMES = everyPage({
  sessions: { claude: '', failed: '', running: '', completed: '', error: '' },
}).map(({ name }) => name);

/** Together these cover every device, language and theme. */
describe.each([
  ['desktop', 'en', 'light'],
  ['phone', 'ja', 'dark'],
] as const)('[C2] on a %s, %s, %s', (device, language, colorScheme) => {
  let page: Page;
  beforeAll(async () => {
    const context = await chromium().newContext({
      locale: LANGUAGES[language],
      viewport: DEVICES[device],
      colorScheme,
      reducedMotion: 'reduce',
      storageState: signedIn,
    });
    page = await context.newPage();
    return () => context.close();
  });

  // Most overflow happens on phones; on desktops every fourth page is checked, unless the run is
  // thorough.
  const seldom = NAMES.filter((_, at) => at % 4 === 0);
  test.each(device === 'phone' ? NAMES : casesOf(NAMES, seldom))(
    '%s fits, and stands in nobody’s way',
    async (wanted) => {
      const shot = everyPage(showcase).find(({ name }) => name === wanted);
      if (shot === undefined) throw new Error(`there is no page ${wanted}`);
      const context = page.context();
      if (shot.isOutside === true) {
        // The previous page must not send requests without its cookies.
        await page.goto('about:blank');
        await context.clearCookies();
      } else await context.addCookies(signedIn.cookies);
      page.removeAllListeners();
      const complaints = complaintsOf(page);
      const strangers = strangersOf(page, showcase.url);
      await page.goto(`${showcase.url}${shot.path}`);
      await quiet(page);
      const { undo } = shot;
      if (undo !== undefined) onTestFinished(async () => void (await undo(page)));
      if (shot.act !== undefined) {
        await shot.act(page);
        await quiet(page);
      }
      // Takes as long as everything else, so it alternates between devices, unless the run is
      // thorough.
      const turn = NAMES.indexOf(wanted) % 2 === (device === 'phone' ? 1 : 0);
      if (turn || DEPTH > 1) expect(await barriersOn(page)).toEqual([]);
      expect(await layoutFaultsOn(page, { thumbs: device === 'phone' })).toEqual([]);
      expect(complaints).toEqual([]);
      expect(strangers).toEqual([]);
    },
  );
});

test('[C2] the bottom bar of a phone has one line per item', async () => {
  const context = await chromium().newContext({
    locale: 'ja-JP',
    viewport: DEVICES.phone,
    storageState: signedIn,
  });
  const page = await context.newPage();
  await page.goto(showcase.url);
  const bar = page.getByRole('navigation', { name: 'メインナビゲーション' });
  await bar.waitFor();
  for (const link of await bar.getByRole('link').all()) {
    expect((await link.boundingBox())?.height).toBeLessThan(60);
  }
  await context.close();
});
