import type { LaneChange } from '../machine/lane-change.ts';
import * as machine from '../machine/lane-machine.ts';
import type { AttemptWrite } from '../store.ts';
import { copyEvent, copyOutcome, type LaneRecord, type RunRecord } from './records.ts';
import { coreIn, type Tables } from './tables.ts';

/** Writes under fences. Nothing is committed until every write in the call has been applied. */
export function write(tables: Tables, writes: readonly AttemptWrite[]): boolean[] {
  const now = tables.clock();
  const changes = new Map<LaneRecord, LaneChange>();
  const answers = writes.map((one) => {
    const lane = tables.lanes.get(one.lane);
    if (lane === undefined) return false;
    const change = changes.get(lane) ?? tables.change(lane, now);
    if (change.lane.fence !== one.fence || one.fence === 0) return false;
    changes.set(lane, change);
    if (!change.isNew(one)) return true;
    apply(change, lane.begun as RunRecord, one);
    return true;
  });
  for (const [lane, change] of changes) tables.commit(lane, change, lane.begun);
  return answers;
}

function apply(change: LaneChange, record: RunRecord, one: AttemptWrite): void {
  const run = coreIn(change, record);
  if (one.start === true) machine.start(change, run);
  if (one.events !== undefined) machine.append(change, run, one.events.map(copyEvent));
  if (one.commit !== undefined) machine.commitOutcome(change, run, copyOutcome(one.commit));
  if (one.ask === true) machine.ask(change, run);
  if (one.end !== undefined) {
    machine.end(change, run, { ...one.end, outcome: copyOutcome(one.end.outcome) });
  }
}
