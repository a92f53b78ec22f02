import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/* Checks for every page of the web app, in a real browser. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LAYOUT = readFileSync(new URL('layout-in-page.js', import.meta.url), 'utf8');

/** Collects console errors and warnings; there must be none. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** Collects requests to other servers; there must be none. */
export function strangersOf(page: Page, url: string): string[] {
  const strangers: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && origin !== url) strangers.push(request.url());
  });
  return strangers;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Accessibility violations (WCAG 2.2 AA), one line each. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
       .then(({ violations }) => violations)`,
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/**
 * Waits until the page stops changing for a moment, or gives up on one that changes all the time.
 */
export async function quiet(page: Page): Promise<void> {
  let before = '';
  for (let attempt = 0; attempt < 8; attempt++) {
    await page.waitForTimeout(250);
    const now = await page.locator('body').innerText();
    if (now !== '' && now === before) return;
    before = now;
  }
}

/**
 * Text that is cut off or overlaps other text, controls that overlap or cannot be reached, content
 * wider than its box; for touch also targets that are too small. One line each.
 */
export async function layoutFaultsOn(page: Page, { thumbs }: { thumbs: boolean }) {
  await page.evaluate(`(() => { ${LAYOUT} })()`);
  return (await page.evaluate(`layoutFaults({ thumbs: ${thumbs} })`)) as string[];
}

/** Elements wider than the window, except inside scrolling boxes. */
export async function tooWideOn(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const isClipped = (element) => {
      for (let at = element.parentElement; at !== null; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible' && at.getBoundingClientRect().right <= innerWidth + 1)
          return true;
      return false;
    };
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1 && !isClipped(element),
    );
    const page = document.documentElement.scrollWidth > innerWidth ? ['the page itself'] : [];
    return [...page, ...wide.map((element) => element.outerHTML.slice(0, 200))];
  })()`)) as string[];
}
