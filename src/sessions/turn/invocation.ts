import type { DriverEnd, Usage } from '../../agents/driver.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import type { AgentPayload } from '../../contract/message.ts';
import type { AgentKind } from '../../contract/session.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { InvocationRecord } from '../session-store.ts';
import { fitEnd } from './fit-end.ts';

const STDERR_BYTES = 64 * 1024;

/** The record of an agent process that is about to start. */
export function beginInvocation(
  { run, attempt }: Pick<AttemptContext<HandlerEvents>, 'run' | 'attempt'>,
  agent: AgentKind,
  startedAt: number,
): InvocationRecord {
  const payload = run.payload as Partial<AgentPayload> | null;
  return {
    id: newId(),
    runId: run.id,
    sessionId: run.lane,
    attempt,
    agent,
    userId: payload?.sender ?? null,
    channel: payload?.channel ?? null,
    startedAt,
    finishedAt: null,
    exitCode: null,
    signal: null,
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    model: null,
    costUsd: 0,
    costSource: null,
    tools: [],
    stderr: '',
    error: null,
  };
}

/** The record of a process that has exited. */
export function endInvocation(
  begun: InvocationRecord,
  end: DriverEnd,
  tools: readonly string[],
  masker: Masker,
  finishedAt: number,
): InvocationRecord {
  const { usage, outcome } = end;
  const error = outcome.kind === 'failed' ? outcome.error : null;
  return {
    ...withUsage(begun, usage),
    finishedAt,
    exitCode: end.exitCode,
    signal: end.signal,
    tools: [...tools],
    stderr: fitEnd(masker.mask(end.stderr), STDERR_BYTES).text,
    error: error === null ? null : { ...error, message: masker.mask(error.message) },
  };
}

/** The record with the usage so far. */
export function withUsage(begun: InvocationRecord, usage: Usage | undefined): InvocationRecord {
  if (usage === undefined) return begun;
  const { source: costSource, ...counted } = usage;
  return { ...begun, ...counted, costSource };
}
