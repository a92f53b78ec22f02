import { QUEUE_EVENTS } from '../../src/contract/event.ts';
import type { Tick } from '../../src/contract/schedule.ts';
import { SILENT } from '../../src/queue/logger.ts';
import { RunQueue } from '../../src/queue/run-queue.ts';
import { fireDue } from '../../src/queue/schedules/fire-due.ts';
import type { Store } from '../../src/queue/store.ts';

/** A clock that stands still until it is moved. */
export class TestClock {
  now: number;

  constructor(start: string) {
    this.now = Date.parse(start);
  }

  readonly read = (): number => this.now;

  set(time: string): void {
    this.now = Date.parse(time);
  }
}

export function scheduleQueue(store: Store): RunQueue {
  const queue = new RunQueue(store);
  queue.register('any', {});
  return queue;
}

/** Fires all due ticks, as one node would, and returns how many. */
export const fireDueTicks = async (store: Store): Promise<number> =>
  (await fireDue(store, SILENT)).fired;

/** The ticks that made runs, oldest run first. */
export async function ticksOf(store: Store): Promise<Tick[]> {
  const ticks: Tick[] = [];
  for (const run of await store.list({ limit: 1000 })) {
    const [queued] = await store.listAfter(run.lane, run.firstSeq - 1, 1);
    ticks.push(QUEUE_EVENTS['run.queued'].parse(queued?.payload).tick as Tick);
  }
  return ticks;
}

export const timesOf = async (store: Store): Promise<string[]> =>
  (await ticksOf(store)).map(({ at }) => new Date(at).toISOString().replace(':00.000Z', 'Z'));
