import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import type { Case } from '../../benches.ts';
import { openBrowser, send, signedIn, webServer } from './visit.ts';

/** The first measurement is after a fifth of the time, when everything is loaded. */
const WARMED_UP = 0.2;

/** The memory of the page after a garbage collection, early and late in a run with endless output. */
export const streaming: Case = async ({ resources, minutes, report }) => {
  const server = await webServer(resources);
  const browser = await openBrowser(resources);
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
  await until(WARMED_UP);
  const early = await held(cdp);
  await until(1);
  const late = await held(cdp);
  await browser.close();
  await server.program.stop();
  const after = (share: number): string => `after ${Number((share * minutes).toFixed(1))} min`;
  report({ metric: `heap ${after(WARMED_UP)}`, value: early.heap / 1e6, unit: 'MB' });
  report({ metric: `heap ${after(1)}`, value: late.heap / 1e6, unit: 'MB' });
  report({ metric: 'heap grows by', value: (late.heap / early.heap - 1) * 100, unit: '%' });
  report({ metric: `DOM nodes ${after(WARMED_UP)}`, value: early.nodes, unit: '' });
  report({ metric: `DOM nodes ${after(1)}`, value: late.nodes, unit: '' });
};

async function held(cdp: CDPSession): Promise<{ heap: number; nodes: number }> {
  // Twice, because objects freed by the first collection may have held others.
  for (let i = 0; i < 2; i++) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes } = await cdp.send('Memory.getDOMCounters');
  return { heap: usedSize, nodes };
}
