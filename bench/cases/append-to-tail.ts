import { setTimeout as delay } from 'node:timers/promises';
import { type AttemptContext, postgresQueue, Worker } from '../../src/library.ts';
import type { Case } from '../benches.ts';
import { now, percentile, rate } from '../measure.ts';
import type { Followed, TailEvents } from '../programs/tails.ts';
import { mustBe } from '../workload.ts';

const LANES = 100;
const EVENTS_PER_LANE = 500;
/** Each lane has 50 events per second, which makes 5,000 in total. */
const EVERY_MS = 20;
const EVENTS = LANES * EVENTS_PER_LANE;

/** About as long as a line of an agent's output. */
const TEXT = 'x'.repeat(160);

/** The time from `emit` in a handler until a tail in another process returns the event. */
export const appendToTail: Case = async ({ resources, report }) => {
  const database = await resources.database();
  const lanes = Array.from({ length: LANES }, (_, i) => `lane-${i}`);
  const program = resources.program('tails', { url: database.url, lanes });
  const queue = await postgresQueue({ url: database.url });
  queue.register('emit', { run: emitAll });
  await program.next();
  await queue.enqueue(lanes.map((lane) => ({ type: 'emit', lane })));
  const worker = new Worker(queue, { concurrency: LANES });
  const begun = now();
  await worker.start();
  const { ms, outOfOrder } = (await program.next()) as Followed;
  const perSecond = rate(EVENTS, now() - begun);
  await worker.stop();
  await queue.close();
  await program.stop();
  await database.drop();
  mustBe('events received', ms.length, EVENTS);
  mustBe('events out of order', outOfOrder, 0);
  report({ metric: 'emit → tail, p50', value: percentile(ms, 0.5), unit: 'ms' });
  report({ metric: 'emit → tail, p99', value: percentile(ms, 0.99), unit: 'ms' });
  report({ metric: 'emitted', value: perSecond, unit: 'events/s' });
  report({ metric: 'lost', value: EVENTS - ms.length, unit: 'events' });
};

/** Emits at a fixed pace, so a slow store gets no relief. */
async function emitAll(_: unknown, { emit }: AttemptContext<TailEvents>): Promise<void> {
  const begun = now() + Math.random() * EVERY_MS;
  let last: Promise<void> = Promise.resolve();
  for (let i = 0; i < EVENTS_PER_LANE; i++) {
    await delay(Math.max(0, begun + i * EVERY_MS - now()));
    last = emit('line.sent', { i, at: now(), text: TEXT });
  }
  await last;
}
