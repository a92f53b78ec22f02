import type {
  InvocationRecord,
  InvocationSums,
  TurnResult,
} from '../../../sessions/session-store.ts';
import {
  INVOCATION_COLUMN_NAMES,
  type InvocationRow,
  invocationValues,
  toInvocation,
} from '../../invocation-rows.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import { type Dialect, type Done, done } from '../dialect.ts';
import { lockSession } from './load.ts';
import { saveMoved } from './move.ts';

const COLUMNS = INVOCATION_COLUMN_NAMES.join(', ');
const PUT = `INSERT INTO invocations (${COLUMNS}) VALUES (${INVOCATION_COLUMN_NAMES.map((_, i) => `$${i + 1}`).join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${INVOCATION_COLUMN_NAMES.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

/** Stores an invocation, or what has become of it, and what it leaves on its session. */
export function* putInvocation(
  dialect: Dialect,
  now: number,
  invocation: InvocationRecord,
  turn: TurnResult | null,
): Op<Done<void>> {
  const loaded = yield* lockSession(dialect, now, invocation.sessionId);
  const { it, session } = loaded;
  yield* query(PUT, invocationValues(invocation));
  // Added up anew, so that it is the same sum that is shown elsewhere.
  const { costUsd } = yield* sumInvocations(session.id);
  // What a run that was taken away has said is recorded, but the session is somebody else's by now.
  const left = turn?.fence === it.lane.fence ? turn : null;
  if (costUsd !== session.costUsd) it.log('session.cost', { costUsd }, null);
  yield* saveMoved(dialect, loaded, {
    ...session,
    costUsd,
    lastActiveAt: now,
    updatedAt: now,
    lastResponse: left?.lastResponse ?? session.lastResponse,
    conversation: left?.conversation ?? session.conversation,
  });
  return done(undefined, [it]);
}

export function* listInvocations(runId: string): Op<InvocationRecord[]> {
  const rows = yield* query<InvocationRow>(
    `SELECT ${COLUMNS} FROM invocations WHERE run_id = $1 ORDER BY started_at, id`,
    [runId],
  );
  return rows.map(toInvocation);
}

export function* listUnfinished(sessionId: string): Op<InvocationRecord[]> {
  const rows = yield* query<InvocationRow>(
    `SELECT ${COLUMNS} FROM invocations WHERE session_id = $1 AND finished_at IS NULL ORDER BY started_at, id`,
    [sessionId],
    'invocations_unfinished',
  );
  return rows.map(toInvocation);
}

export function* sumInvocations(sessionId: string): Op<InvocationSums> {
  const row = yield* queryOne<Record<string, number>>(
    `SELECT count(*) AS n, coalesce(sum(cost_usd), 0) AS cost, coalesce(sum(input_tokens), 0) AS input,
       coalesce(sum(output_tokens), 0) AS output, coalesce(sum(cache_creation_tokens), 0) AS creation,
       coalesce(sum(cache_read_tokens), 0) AS cached FROM invocations WHERE session_id = $1`,
    [sessionId],
  );
  return {
    costUsd: row!['cost']!,
    inputTokens: row!['input']!,
    outputTokens: row!['output']!,
    cacheCreationTokens: row!['creation']!,
    cacheReadTokens: row!['cached']!,
    invocations: row!['n']!,
  };
}

export function* costsOf(dialect: Dialect, runIds: readonly string[]): Op<Map<string, number>> {
  if (runIds.length === 0) return new Map();
  const rows = yield* query<{ run_id: string; cost: number }>(
    `SELECT run_id, sum(cost_usd) AS cost FROM invocations WHERE ${dialect.oneOf('run_id', 1)} GROUP BY run_id`,
    [dialect.list(runIds)],
  );
  return new Map(rows.map(({ run_id, cost }) => [run_id, cost]));
}
