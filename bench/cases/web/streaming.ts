import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import type { Case } from '../../benches.ts';
import { openBrowser, send, signedIn, webServer } from './visit.ts';

/** What is loaded and made once is there by then: a fifth of the time. */
const SETTLED = 0.2;

/** What the page holds after a collection, early and late in a run that never stops talking. */
export const streaming: Case = async ({ place, minutes, report }) => {
  const server = await webServer(place);
  const browser = await openBrowser(place);
  const session = await server.session('streaming', 'claude');
  const context = await signedIn(server, browser);
  const page = await context.newPage();
  await page.goto(`${server.url}/s/${session.id}`);
  await page.locator('#composer').waitFor();
  const cdp = await context.newCDPSession(page);
  const ms = minutes * 60_000;
  const begun = Date.now();
  const until = (share: number): Promise<void> => delay(begun + share * ms - Date.now());
  await send(server, session.id, { do: 'stream', ms });
  await until(SETTLED);
  const early = await held(cdp);
  await until(1);
  const late = await held(cdp);
  await browser.close();
  await server.program.stop();
  const after = (share: number): string => `after ${Number((share * minutes).toFixed(1))} min`;
  report({ metric: `heap ${after(SETTLED)}`, value: early.heap / 1e6, unit: 'MB' });
  report({ metric: `heap ${after(1)}`, value: late.heap / 1e6, unit: 'MB' });
  report({ metric: 'heap grows by', value: (late.heap / early.heap - 1) * 100, unit: '%' });
  report({ metric: `DOM nodes ${after(SETTLED)}`, value: early.nodes, unit: '' });
  report({ metric: `DOM nodes ${after(1)}`, value: late.nodes, unit: '' });
};

async function held(cdp: CDPSession): Promise<{ heap: number; nodes: number }> {
  // What the first one lets go of may hold more.
  for (let i = 0; i < 2; i++) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes } = await cdp.send('Memory.getDOMCounters');
  return { heap: usedSize, nodes };
}
