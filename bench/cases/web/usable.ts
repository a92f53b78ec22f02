import type { Case } from '../../benches.ts';
import { median } from '../../measure.ts';
import { newContext, openBrowser, seenAt, signInUrl, watchFor, webServer } from './visit.ts';

const STARTS_A_ROUND = 3;

/** The time from opening the link of a newly started server to the form for the first session. */
export const usable: Case = async ({ resources, rounds, report }) => {
  const browser = await openBrowser(resources);
  const times: number[] = [];
  for (let start = 0; start < rounds * STARTS_A_ROUND; start++) {
    const server = await webServer(resources);
    const link = await signInUrl(server);
    const context = await newContext(browser);
    const page = await context.newPage();
    await watchFor(page, 'form', 'main textarea:enabled');
    const begun = Date.now();
    await page.goto(link);
    const at = await seenAt(page, 'form');
    // The link leads to the app through another page; the time of both counts.
    const origin = Number(await page.evaluate('performance.timeOrigin'));
    times.push(origin + at - begun);
    await context.close();
    await server.program.stop();
  }
  await browser.close();
  report({ metric: 'link to usable form, cold', value: median(times), unit: 'ms' });
  report({ metric: 'slowest', value: Math.max(...times), unit: 'ms' });
};
