import { READY } from '../../queue/hint.ts';
import { LaneChange } from '../../queue/machine/lane-change.ts';
import { append, ask, commitOutcome, end, start } from '../../queue/machine/lane-machine.ts';
import type { AttemptWrite } from '../../queue/store.ts';
import type { Op } from '../statement.ts';
import { type Dialect, type Done, done, hintOf, mergeHints } from './dialect.ts';

/** Applies the attempts' writes, each only if its fence is still the lane's (Q6). */
export function* write(
  dialect: Dialect,
  now: number,
  writes: readonly AttemptWrite[],
): Op<Done<boolean[]>> {
  const finished = dialect.finish === undefined ? null : yield* dialect.finish(writes, now);
  if (finished === null || finished.size === 0) return yield* byMachine(dialect, now, writes);
  const others = writes.filter(({ lane }) => !finished.has(lane));
  const rest = others.length === 0 ? done([], []) : yield* byMachine(dialect, now, others);
  const answers = rest.value.values();
  return {
    value: writes.map(({ lane }) => finished.has(lane) || answers.next().value === true),
    hint: mergeHints({ ...hintOf(READY), lanes: [...finished] }, rest.hint),
  };
}

function* byMachine(
  dialect: Dialect,
  now: number,
  writes: readonly AttemptWrite[],
): Op<Done<boolean[]>> {
  const ids = [...new Set(writes.map(({ lane }) => lane))].sort();
  const held = yield* dialect.lockBegun(ids);
  const lanes = new Map(
    held.map(({ lane, run }) => [
      lane.id,
      { fence: lane.fence, change: new LaneChange(lane, now), run },
    ]),
  );
  const answers = writes.map((one) => {
    const entry = lanes.get(one.lane);
    // The end of an attempt sets the fence to 0, so no write can follow it.
    if (entry === undefined || one.fence === 0 || entry.change.lane.fence !== one.fence)
      return false;
    const { change, run } = entry;
    if (!change.isNew(one)) return true;
    if (one.start === true) start(change, run);
    if (one.events !== undefined) append(change, run, one.events);
    if (one.commit !== undefined) commitOutcome(change, run, one.commit);
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
