import type { LaneChange } from '../../queue/machine/lane-change.ts';
import { admit } from '../../queue/machine/lane-machine.ts';
import { newRun } from '../../queue/machine/new-run.ts';
import type { Op } from '../statement.ts';
import type { Dialect } from './dialect.ts';
import { headPosition } from './positions.ts';

export interface HeadRun {
  readonly id: string;
  readonly type: string;
  readonly maxAttempts: number;
  readonly payload: string;
  readonly retryOf: string | null;
  readonly idemKey: string | null;
  readonly bodyHash: string | null;
}

/** Admits a run ahead of all the lane's queued runs; the caller saves the lane. */
export function* admitAtHead(dialect: Dialect, change: LaneChange, run: HeadRun): Op<void> {
  const { id, type, maxAttempts, payload, retryOf, idemKey, bodyHash } = run;
  const position = yield* headPosition(change);
  const core = newRun({ id, type, maxAttempts, position, runAt: null });
  const firstSeq = change.lane.nextSeq;
  admit(change, core);
  yield* dialect.insertRuns([
    {
      core,
      lane: change.lane.id,
      owner: change.lane.owner,
      payload,
      retryOf,
      idemScope: idemKey === null ? null : change.lane.id,
      idemKey,
      bodyHash,
      kept: change.lane.kept,
      createdAt: change.now,
      firstSeq,
    },
  ]);
}
