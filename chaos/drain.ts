import { setTimeout as delay } from 'node:timers/promises';
import type { RunQueue, RunState } from '../src/library.ts';
import { HELD_LANES, LANES, STEADY, UNSTEADY } from './setup.ts';

const UNENDED: RunState[] = ['queued', 'dequeued', 'running', 'waiting', 'retry_scheduled'];

/** Pauses the schedules; returns when, on the database's clock. */
export async function pauseSchedules(queue: RunQueue): Promise<number> {
  for (const id of [...STEADY, UNSTEADY]) await queue.pauseSchedule(id);
  return queue.store.time();
}

/** Waits until everything that can end has ended; false on timeout. */
export async function drain(queue: RunQueue, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (const lane of LANES) await queue.resume(lane);
  while (performance.now() < deadline) {
    const unended = await unendedRuns(queue);
    if (unended.length === 0) return true;
    for (const { id, state, lane } of unended) {
      // Refused if the run has ended by now, which is fine. A failure may hold its lane again.
      if (state === 'waiting') await queue.answer(id).catch(() => {});
      if (state === 'queued') await queue.resume(lane);
    }
    await delay(200);
  }
  return false;
}

async function unendedRuns(queue: RunQueue) {
  const unended = [];
  const now = await queue.store.time();
  let after: string | undefined;
  for (;;) {
    const page = await queue.list({
      states: UNENDED,
      limit: 1000,
      ...(after === undefined ? {} : { after }),
    });
    for (const run of page) {
      const later = run.runAt !== null && run.runAt > now + 60_000;
      if (!HELD_LANES.includes(run.lane) && !later) unended.push(run);
    }
    if (page.length < 1000) return unended;
    after = page.at(-1)?.id;
  }
}
