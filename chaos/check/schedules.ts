import { type EventRow, type Evidence, groupBy, type Report, show } from './evidence.ts';

const EVERY = 1000;
/** How long before the pause the last tick may be, on a busy machine. */
const LATE_MS = 5000;

interface Tick {
  readonly schedule: string;
  readonly at: number;
  readonly missed: boolean;
}

/**
 * For schedules that fire every second: no tick makes two runs. The next tick is a second later, or,
 * if the run stands for missed ticks, the first one after the run was created.
 */
export function checkSchedules(evidence: Evidence, report: Report): void {
  const fired = evidence.events.filter((event) => event.payload['tick'] !== undefined);
  const bySchedule = groupBy(fired, (event) => tickOf(event).schedule);
  const rows = new Map(evidence.schedules.map((row) => [row.id, row]));
  for (const [id, events] of bySchedule) {
    const ticks = events.toSorted((a, b) => tickOf(a).at - tickOf(b).at);
    for (const [i, event] of ticks.entries()) {
      const next = ticks[i + 1];
      if (next !== undefined && tickOf(next).at === tickOf(event).at) {
        report('tick-twice', `${show(event)} and ${show(next)}`);
      } else if (next !== undefined && evidence.steady.includes(id)) follows(event, next, report);
    }
    const last = ticks.at(-1);
    const row = rows.get(id);
    if (last !== undefined && (row?.lastAt !== tickOf(last).at || row.lastRunId !== last.runId)) {
      report('tick-lost', `the schedule says ${show(row)}, its last tick is ${show(last)}`);
    }
  }
  for (const id of evidence.steady) {
    const lastAt = rows.get(id)?.lastAt ?? 0;
    if (lastAt < evidence.pausedAt - LATE_MS) {
      report('tick-lost', `${id} fired last at ${lastAt}, paused at ${evidence.pausedAt}`);
    }
  }
}

function follows(event: EventRow, next: EventRow, report: Report): void {
  const [tick, following] = [tickOf(event), tickOf(next)];
  const gap = following.at - tick.at;
  const latest = Math.floor(event.at / EVERY) * EVERY + EVERY;
  const right = tick.missed ? gap > EVERY && following.at <= latest : gap === EVERY;
  if (!right || tick.at % EVERY !== 0)
    report('tick-lost', `${show(event)} is followed by ${show(next)}`);
}

const tickOf = (event: EventRow): Tick => event.payload['tick'] as unknown as Tick;
