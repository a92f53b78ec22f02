import { BatonError } from '../../../contract/errors.ts';
import type { EventPayloads } from '../../../contract/events/table.ts';
import type { LaneChange } from '../../../queue/machine/lane-change.ts';
import type {
  InvocationRecord,
  InvocationSums,
  ModelSums,
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
import { saveTriggered } from './apply-trigger.ts';
import { lockSession } from './load.ts';

const COLUMNS = INVOCATION_COLUMN_NAMES.join(', ');
const PUT = `INSERT INTO invocations (${COLUMNS}) VALUES (${INVOCATION_COLUMN_NAMES.map((_, i) => `$${i + 1}`).join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${INVOCATION_COLUMN_NAMES.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

/** Creates or updates an invocation, and updates its session. */
export function* putInvocation(
  dialect: Dialect,
  now: number,
  invocation: InvocationRecord,
  turn: TurnResult | null = null,
): Op<Done<boolean>> {
  const loaded = yield* lockSession(dialect, now, invocation.sessionId);
  const { change, session } = loaded;
  const before = yield* queryOne<InvocationRow>(
    `SELECT ${COLUMNS} FROM invocations WHERE id = $1`,
    [invocation.id],
  );
  const known = before === null ? null : toInvocation(before);
  // The write comes from an attempt that was taken over, and the next attempt has already recorded
  // its end.
  if (known !== null && known.finishedAt !== null && invocation.finishedAt === null) {
    return { ...done(false, [change]), changed: false };
  }
  yield* query(PUT, invocationValues(invocation));
  // A write from an attempt that was taken over is recorded but no longer changes the session.
  const left = turn?.fence === change.lane.fence ? turn : null;
  const corrected =
    left?.usageEarlier !== undefined && (yield* correct(invocation, left.usageEarlier));
  logUsage(change, invocation, known);
  let { costUsd } = session;
  const wasShown = known === null || isShown(known);
  if (corrected || !wasShown || invocation.costUsd !== (known?.costUsd ?? 0)) {
    // The total is summed again, so that it equals the sum shown elsewhere and nothing is counted
    // twice.
    ({ costUsd } = yield* sumInvocations(session.id));
    const changed = costUsd !== session.costUsd || !wasShown;
    if (changed && isShown(invocation)) change.log('session.cost', { costUsd }, null);
  }
  const ended = invocation.finishedAt !== null && (known?.finishedAt ?? null) === null;
  const conversation = left?.conversation ?? session.conversation;
  if (conversation !== session.conversation) yield* mustNotShare(session.id, conversation);
  yield* saveTriggered(dialect, loaded, {
    ...session,
    costUsd,
    lastActiveAt: now,
    lastOutputAt: ended ? now : session.lastOutputAt,
    updatedAt: now,
    lastResponse: left?.lastResponse ?? session.lastResponse,
    conversation,
    conversationHead: left?.conversationHead ?? session.conversationHead,
    usageBefore: left?.usageAfter ?? session.usageBefore,
  });
  return done(ended, [change]);
}

/** Two sessions never share a conversation (A3); if two try at once, the unique index decides. */
function* mustNotShare(id: string, conversation: string | null): Op<void> {
  const other = yield* queryOne<{ id: string }>(
    'SELECT id FROM sessions WHERE conversation = $1 AND id <> $2',
    [conversation, id],
  );
  if (other !== null) {
    throw new BatonError('conversation_taken', undefined, { details: { sessionId: other.id } });
  }
}

/** The estimate for a running agent changes with every response, so it is not logged. */
const isShown = ({ costSource, finishedAt }: InvocationRecord): boolean =>
  costSource !== ESTIMATED || finishedAt !== null;

const ESTIMATED = 'estimated';

/**
 * Replaces the estimates made since the agent last reported its usage. The reported total does not
 * say which process caused it, so all of it is assigned to the last process. A process that was
 * killed cannot have added to the total.
 */
function* correct(
  by: InvocationRecord,
  usage: NonNullable<TurnResult['usageEarlier']>,
): Op<boolean> {
  const rows = yield* query<InvocationRow>(
    `SELECT ${COLUMNS} FROM invocations WHERE session_id = $1 AND id <> $2 AND cost_source = '${ESTIMATED}'
       AND finished_at IS NOT NULL AND coalesce(signal, '') <> 'SIGKILL'
       AND started_at > (SELECT coalesce(max(started_at), -1) FROM invocations
         WHERE session_id = $1 AND id <> $2 AND cost_source = $3)
     ORDER BY started_at DESC, id DESC`,
    [by.sessionId, by.id, usage.source],
  );
  const { source: costSource, ...counted } = usage;
  for (const [n, row] of rows.entries()) {
    const part = n === 0 ? counted : NO_TOKENS;
    yield* query(PUT, invocationValues({ ...toInvocation(row), ...part, costSource }));
  }
  return rows.length > 0;
}

const NO_TOKENS = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  costUsd: 0,
};

/**
 * No event of a run may follow its end, so usage that arrives later is logged only for the session.
 */
function logUsage(change: LaneChange, put: InvocationRecord, known: InvocationRecord | null): void {
  const usage = usageOf(put);
  if (usage === null || !isShown(put)) return;
  if (known !== null && isShown(known) && JSON.stringify(usageOf(known)) === JSON.stringify(usage))
    return;
  const { runId, attempt } = put;
  const underWay = change.lane.runId === runId;
  change.log('agent.usage', usage, underWay ? { id: runId, attempts: attempt } : null);
}

/** Null if the agent has reported no usage. */
const usageOf = (of: InvocationRecord): EventPayloads['agent.usage'] | null =>
  of.costSource === null
    ? null
    : {
        inputTokens: of.inputTokens,
        outputTokens: of.outputTokens,
        cacheCreationTokens: of.cacheCreationTokens,
        cacheReadTokens: of.cacheReadTokens,
        model: of.model,
        costUsd: of.costUsd,
        source: of.costSource,
      };

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

export interface SumsRow {
  n: number;
  cost: number;
  estimated: number;
  input: number;
  output: number;
  creation: number;
  cached: number;
}

export const SUMS = `count(*) AS n, coalesce(sum(cost_usd), 0) AS cost,
  coalesce(sum(CASE WHEN cost_source = '${ESTIMATED}' THEN cost_usd END), 0) AS estimated,
  coalesce(sum(input_tokens), 0) AS input,
  coalesce(sum(output_tokens), 0) AS output, coalesce(sum(cache_creation_tokens), 0) AS creation,
  coalesce(sum(cache_read_tokens), 0) AS cached`;

export const toSums = (row: SumsRow): InvocationSums => ({
  costUsd: row.cost,
  estimatedUsd: row.estimated,
  inputTokens: row.input,
  outputTokens: row.output,
  cacheCreationTokens: row.creation,
  cacheReadTokens: row.cached,
  invocations: row.n,
});

export function* sumInvocations(sessionId: string): Op<InvocationSums> {
  const row = yield* queryOne<SumsRow>(`SELECT ${SUMS} FROM invocations WHERE session_id = $1`, [
    sessionId,
  ]);
  return toSums(row!);
}

export function* sumByModel(sessionId: string): Op<ModelSums[]> {
  const rows = yield* query<SumsRow & { model: string | null; cost_source: string | null }>(
    `SELECT model, cost_source, ${SUMS} FROM invocations WHERE session_id = $1
     GROUP BY model, cost_source ORDER BY cost DESC, output DESC, model`,
    [sessionId],
  );
  return rows.map((row) => ({ model: row.model, source: row.cost_source, ...toSums(row) }));
}

export function* costsOf(dialect: Dialect, runIds: readonly string[]): Op<Map<string, number>> {
  if (runIds.length === 0) return new Map();
  const rows = yield* query<{ run_id: string; cost: number }>(
    `SELECT run_id, sum(cost_usd) AS cost FROM invocations WHERE ${dialect.oneOf('run_id', 1)} GROUP BY run_id`,
    [dialect.list(runIds)],
  );
  return new Map(rows.map(({ run_id, cost }) => [run_id, cost]));
}
