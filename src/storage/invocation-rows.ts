import type { RunError } from '../contract/outcome.ts';
import type { Json } from '../contract/values/json.ts';
import type { InvocationRecord } from '../sessions/session-store.ts';
import { plain } from './session-rows.ts';

/* Turns rows of invocations into objects; see rows.ts. */

export interface InvocationRow {
  id: string;
  run_id: string;
  session_id: string;
  attempt: number;
  agent: string;
  user_id: string | null;
  channel: string | null;
  started_at: number;
  finished_at: number | null;
  exit_code: number | null;
  signal: string | null;
  input_tokens: number;
  output_tokens: number;
  cache_creation_tokens: number;
  cache_read_tokens: number;
  model: string | null;
  cost_usd: number;
  cost_source: string | null;
  tools: string;
  stderr: string;
  error: string | null;
}

export const INVOCATION_COLUMN_NAMES = [
  'id',
  'run_id',
  'session_id',
  'attempt',
  'agent',
  'user_id',
  'channel',
  'started_at',
  'finished_at',
  'exit_code',
  'signal',
  'input_tokens',
  'output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'model',
  'cost_usd',
  'cost_source',
  'tools',
  'stderr',
  'error',
] as const satisfies readonly (keyof InvocationRow)[];

export const toInvocation = (row: InvocationRow): InvocationRecord => ({
  id: row.id,
  runId: row.run_id,
  sessionId: row.session_id,
  attempt: row.attempt,
  agent: row.agent,
  userId: row.user_id,
  channel: row.channel,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  exitCode: row.exit_code,
  signal: row.signal,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  cacheCreationTokens: row.cache_creation_tokens,
  cacheReadTokens: row.cache_read_tokens,
  model: row.model,
  costUsd: row.cost_usd,
  costSource: row.cost_source,
  tools: JSON.parse(row.tools) as Json,
  stderr: row.stderr,
  error: row.error === null ? null : (JSON.parse(row.error) as RunError),
});

/** The values in the order of INVOCATION_COLUMN_NAMES. */
export const invocationValues = (one: InvocationRecord): (string | number | null)[] => [
  one.id,
  one.runId,
  one.sessionId,
  one.attempt,
  one.agent,
  one.userId,
  one.channel,
  one.startedAt,
  one.finishedAt,
  one.exitCode,
  one.signal,
  one.inputTokens,
  one.outputTokens,
  one.cacheCreationTokens,
  one.cacheReadTokens,
  one.model,
  one.costUsd,
  one.costSource,
  JSON.stringify(one.tools),
  plain(one.stderr),
  one.error === null ? null : JSON.stringify(one.error),
];
