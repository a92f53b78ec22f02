import type { Page } from 'playwright-core';
import type { Case } from '../../benches.ts';
import { median } from '../../measure.ts';
import { longestTask, TASKS } from './task-times.ts';
import { LAST, longSession, openBrowser, seenAt, signedIn, watchFor, webServer } from './visit.ts';

const OPENINGS_A_ROUND = 3;
/** Pixels per frame, faster than anyone reads. */
const WHEEL_PX = 600;
const FRAME_MS = 16;
const LONGEST_SCROLL_MS = 300_000;

/** Opens a session of ten thousand events from the list and by its address, and scrolls through it. */
export const longSessionCase: Case = async ({ resources, rounds, report }) => {
  const server = await webServer(resources);
  const browser = await openBrowser(resources);
  const session = await longSession(server);
  if (session.lastSeq < 10_000) throw new Error(`only ${session.lastSeq} events`);

  const fromList: number[] = [];
  const byAddress: number[] = [];
  for (let i = 0; i < rounds * OPENINGS_A_ROUND; i++) {
    const context = await signedIn(server, browser);
    const page = await context.newPage();
    await watchFor(page, 'last', '[role="log"] h3', LAST);
    await page.goto(`${server.url}/s/${session.id}`);
    byAddress.push(await seenAt(page, 'last'));
    await context.close();

    const other = await signedIn(server, browser);
    const start = await other.newPage();
    await start.goto(`${server.url}/inbox`);
    const link = start.getByRole('link', { name: session.name }).first();
    await link.waitFor();
    await start.evaluate(`
      addEventListener('click', () => { bench.clicked = performance.now(); }, { capture: true });
      bench.watchFor('last', '[role="log"] h3', ${JSON.stringify(LAST)})`);
    await link.click();
    fromList.push((await seenAt(start, 'last')) - Number(await start.evaluate('bench.clicked')));
    await other.close();
  }
  report({ metric: 'from the list to the last message', value: median(fromList), unit: 'ms' });
  report({ metric: 'slowest', value: Math.max(...fromList), unit: 'ms' });
  report({ metric: 'by its address, cold', value: median(byAddress), unit: 'ms' });

  const tasks: number[] = [];
  const busy: number[] = [];
  let seconds = 0;
  for (let round = 0; round < rounds; round++) {
    const context = await signedIn(server, browser);
    const page = await context.newPage();
    await watchFor(page, 'last', '[role="log"] h3', LAST);
    await page.goto(`${server.url}/s/${session.id}`);
    await seenAt(page, 'last');
    await page.waitForTimeout(1000);
    const begun = Date.now();
    await browser.startTracing(page, { categories: TASKS });
    tasks.push(...(await longTasksWhileScrolling(page)));
    busy.push(longestTask(await browser.stopTracing()));
    seconds += (Date.now() - begun) / 1000;
    await context.close();
  }
  await browser.close();
  await server.program.stop();
  report({ metric: 'longest task while scrolling', value: Math.max(0, ...tasks), unit: 'ms' });
  report({ metric: 'processor time of a task, at most', value: Math.max(...busy), unit: 'ms' });
  report({ metric: 'tasks over 50 ms, all scrolling', value: tasks.length, unit: '' });
  report({ metric: 'up and down again', value: seconds / rounds, unit: 's' });
};

async function longTasksWhileScrolling(page: Page): Promise<number[]> {
  await page.getByRole('log').hover();
  await page.evaluate('bench.watchLongTasks()');
  await scroll(page, -WHEEL_PX, `document.querySelector('[data-seq="1"]') !== null`);
  await scroll(
    page,
    WHEEL_PX,
    '(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop < 2)(bench.log())',
  );
  return (await page.evaluate('bench.longTasks.map(({ duration }) => duration)')) as number[];
}

async function scroll(page: Page, by: number, isThere: string): Promise<void> {
  const until = Date.now() + LONGEST_SCROLL_MS;
  for (let turn = 1; ; turn++) {
    await page.mouse.wheel(0, by);
    await page.waitForTimeout(FRAME_MS);
    if (turn % 20 === 0 && (await page.evaluate(isThere)) === true) return;
    if (Date.now() > until) throw new Error('the end was not reached');
  }
}
