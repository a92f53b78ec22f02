import { BatonError } from '../../contract/errors.ts';
import type { Run } from '../../contract/run.ts';
import { LaneChange, type RunCore } from '../../queue/machine/lane-change.ts';
import { CORE_COLUMNS, type CoreRow, RUN_COLUMNS, type RunRow, toCore, toRun } from '../rows.ts';
import { type Op, queryOne } from '../statement.ts';
import { Again, type Dialect } from './dialect.ts';

export interface LoadedRun {
  readonly change: LaneChange;
  readonly core: RunCore;
}

/** Locks the lane of a run before reading the run, because the lane's lock guards it. */
export function* lockRun(dialect: Dialect, now: number, id: string): Op<LoadedRun> {
  const row = yield* queryOne<{ lane: string }>('SELECT lane FROM runs WHERE id = $1', [id]);
  if (row === null) throw new BatonError('not_found', `There is no run ${id}.`);
  const change = yield* lockLane(dialect, now, row.lane);
  const core = yield* readCore(id);
  // The run was purged between the two statements.
  if (core === null) throw new Again();
  return { change, core };
}

export function* lockLane(dialect: Dialect, now: number, id: string): Op<LaneChange> {
  const [lane] = yield* dialect.lockLanes([id]);
  if (lane === undefined) throw new BatonError('not_found', `There is no lane ${id}.`);
  return new LaneChange(lane, now);
}

export function* readCore(id: string): Op<RunCore | null> {
  const row = yield* queryOne<CoreRow>(`SELECT ${CORE_COLUMNS} FROM runs r WHERE r.id = $1`, [id]);
  return row === null ? null : toCore(row);
}

export function* readRun(id: string): Op<Run | null> {
  const row = yield* queryOne<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs r WHERE r.id = $1`, [id]);
  return row === null ? null : toRun(row);
}
