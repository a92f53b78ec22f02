import type { Lane } from '../../contract/lane.ts';
import { LaneChange, type RunCore } from '../../queue/lane-change.ts';
import { append, ask, end, settle, start } from '../../queue/lane-machine.ts';
import type { AttemptWrite } from '../../queue/store.ts';
import type { Op } from '../statement.ts';
import { Again, type Dialect, type Done, done } from './dialect.ts';

/** Writes about attempts, each only if its fence is still the lane's (Q6). */
export function* write(
  dialect: Dialect,
  now: number,
  writes: readonly AttemptWrite[],
): Op<Done<boolean[]>> {
  const ids = [...new Set(writes.map(({ lane }) => lane))].sort();
  const held = yield* dialect.lockBegun(ids);
  // The run was read before the lane's lock was had, and got its slot back meanwhile.
  if (held.some(isTorn)) throw new Again();
  const lanes = new Map(
    held.map(({ lane, run }) => [
      lane.id,
      { fence: lane.fence, change: new LaneChange(lane, now), run },
    ]),
  );
  const answers = writes.map((one) => {
    const entry = lanes.get(one.lane);
    // The fence of the change goes to 0 with the attempt's end, so nothing can follow it.
    if (entry === undefined || one.fence === 0 || entry.change.lane.fence !== one.fence)
      return false;
    const { change, run } = entry;
    if (!change.isNew(one)) return true;
    if (one.start === true) start(change, run);
    if (one.events !== undefined) append(change, run, one.events);
    if (one.settle !== undefined) settle(change, run, one.settle);
    if (one.ask === true) ask(change, run);
    if (one.end !== undefined) end(change, run, one.end);
    return true;
  });
  const changes = [...lanes.values()]
    .map(({ change }) => change)
    .filter((c) => c.events.length > 0 || c.runs.size > 0);
  if (changes.length > 0) yield* dialect.save(changes);
  return done(answers, changes);
}

/** A lane that waits for an answer has a waiting run, and no other lane has one that is held. */
const isTorn = ({ lane, run }: { lane: Lane; run: RunCore }): boolean =>
  lane.nodeId !== null && (lane.state === 'asking') !== (run.state === 'waiting');
