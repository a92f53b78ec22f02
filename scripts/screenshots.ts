// Pictures of every page of the web app: light and dark, desktop and phone, English and Japanese.
// `npm run screenshots -- [--out FOLDER] [--only PART] [--tall]`; a temporary folder by default.
// `--only` takes pages whose name contains PART; `--tall` makes the window as tall as the page.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../test/web/browser-launch.ts';
import { complaintsOf, quiet } from '../test/web/page-checks.ts';
import { type Showcase, startShowcase } from '../test/web/showcase.ts';
import { DEVICES, everyPage, LANGUAGES } from '../test/web/showcase-pages.ts';

const THEMES = ['light', 'dark'] as const;
/** The tallest window. */
const TALL_MAX = 4000;

const { values: options } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    tall: { type: 'boolean', default: false },
  },
});

async function take(browser: Browser, showcase: Showcase, out: string): Promise<void> {
  const wanted = everyPage(showcase).filter(({ name }) => name.includes(options.only));
  const first = await browser.newContext();
  const entry = await first.newPage();
  await entry.goto(showcase.link);
  await entry.waitForURL(`${showcase.url}/`);
  const storageState = await first.storageState();
  await first.close();
  for (const [language, locale] of Object.entries(LANGUAGES)) {
    for (const [device, viewport] of Object.entries(DEVICES)) {
      for (const colorScheme of THEMES) {
        const context = await browser.newContext({
          locale,
          viewport,
          colorScheme,
          reducedMotion: 'reduce',
          storageState,
        });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        for (const { name, path, act, undo, isOutside = false } of wanted) {
          await context.clearCookies();
          if (!isOutside) await context.addCookies(storageState.cookies);
          await page.setViewportSize(viewport);
          await page.goto(`${showcase.url}${path}`);
          await quiet(page);
          await act?.(page);
          await quiet(page);
          if (options.tall) await page.setViewportSize(await fullSize(page, viewport));
          const file = `${name}-${language}-${device}-${colorScheme}.png`;
          await page.screenshot({ path: join(out, file) });
          for (const complaint of complaints.splice(0))
            process.stdout.write(`${file}: ${complaint}\n`);
          await undo?.(page);
        }
        await context.close();
      }
    }
  }
}

/** The size at which the whole page fits without scrolling. */
async function fullSize(page: Page, { width, height }: { width: number; height: number }) {
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
