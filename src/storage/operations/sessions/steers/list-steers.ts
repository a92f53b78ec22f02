import type { AgentPayload } from '../../../../contract/message.ts';
import type { SteerRecord } from '../../../../sessions/messages/steer-store.ts';
import { type Op, query } from '../../../statement.ts';
import type { Dialect } from '../../dialect.ts';

interface SteerRow {
  readonly id: string;
  readonly run_id: string;
  readonly session_id: string;
  readonly payload: string;
  readonly sealed: string | null;
  readonly state: 'waiting' | 'given';
}

export function* listSteers(
  dialect: Dialect,
  runIds: readonly string[],
  states: readonly SteerRecord['state'][] = ['waiting', 'given'],
): Op<SteerRecord[]> {
  const rows = yield* query<SteerRow>(
    `SELECT id, run_id, session_id, payload, sealed, state FROM steers
     WHERE ${dialect.oneOf('run_id', 1)} AND ${dialect.oneOf('state', 2)} ORDER BY run_id, seq`,
    [dialect.list(runIds), dialect.list(states)],
    'steers_of_runs',
  );
  return rows.map((row) => {
    const payload = JSON.parse(row.payload) as AgentPayload;
    return {
      id: row.id,
      runId: row.run_id,
      sessionId: row.session_id,
      message: payload.message,
      original: row.sealed,
      sender: payload.sender,
      state: row.state,
    };
  });
}
