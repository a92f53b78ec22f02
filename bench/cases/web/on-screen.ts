import type { SessionEvent } from '../../../src/contract/session-event.ts';
import type { Case } from '../../benches.ts';
import { percentile } from '../../measure.ts';
import { openBrowser, perform, signedIn, waitForValue, webServer } from './visit.ts';

const MARKS = 200;
const EVERY_MS = 60;

/** The time from the timestamp of a stored event until its text is painted. */
export const onScreen: Case = async ({ resources, rounds, report }) => {
  const server = await webServer(resources);
  const browser = await openBrowser(resources);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const session = await server.session(`on screen ${round + 1}`, 'claude');
    const context = await signedIn(server, browser);
    const page = await context.newPage();
    await page.goto(`${server.url}/s/${session.id}`);
    await page.locator('#composer').waitFor();
    await page.evaluate('bench.watchMarks()');
    await perform(server, session, { do: 'marks', count: MARKS, everyMs: EVERY_MS });
    await waitForValue(page, `bench.marks[${MARKS}]`);
    const seen = (await page.evaluate('bench.marks')) as Record<string, number>;
    const { items } = await server.call<{ items: SessionEvent[] }>(
      `/api/v1/sessions/${session.id}/events?follow=false&limit=1000`,
      undefined,
      'GET',
    );
    for (const { type, payload, at } of items) {
      if (type !== 'agent.message') continue;
      const number = /^mark (\d+)\b/.exec((payload as { text: string }).text)?.[1];
      const shown = number === undefined ? undefined : seen[number];
      if (shown === undefined) throw new Error(`mark ${number} was never on screen`);
      times.push(shown - Date.parse(at));
    }
    await context.close();
  }
  await browser.close();
  await server.program.stop();
  if (times.length !== MARKS * rounds) throw new Error(`${times.length} marks in the log`);
  report({ metric: 'stored to on screen, p50', value: percentile(times, 0.5), unit: 'ms' });
  report({ metric: 'p95', value: percentile(times, 0.95), unit: 'ms' });
  report({ metric: 'slowest', value: Math.max(...times), unit: 'ms' });
};
