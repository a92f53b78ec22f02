import type { AgentDriver, DriverEnd } from '../agents/driver.ts';
import type { AgentProcess, Spawn } from '../agents/process.ts';
import { newId } from '../contract/ids.ts';
import type { Json } from '../contract/json.ts';
import type { AgentPayload } from '../contract/message.ts';
import type { AgentKind } from '../contract/session.ts';
import type { Masker } from '../policy/masker.ts';
import { verdictOf } from '../policy/retry.ts';
import type { AttemptContext } from '../queue/attempt-context.ts';
import { fail, park } from '../queue/handler-result.ts';
import type { SecretBox } from '../secrets/box.ts';
import { WorkspaceError } from '../workspaces/provider.ts';
import { fitText } from './fit-text.ts';
import { openOriginal } from './messages.ts';
import { patiently } from './patiently.ts';
import type { Preparer } from './preparer.ts';
import { Recorder } from './recorder.ts';
import type { InvocationRecord, SessionStore, SessionWithFacts } from './session-store.ts';

const STDERR_BYTES = 64 * 1024;
const LAST_RESPONSE_BYTES = 16 * 1024;
const RESULT_BYTES = 256 * 1024;

export interface AgentHandlerOptions {
  readonly store: SessionStore;
  readonly preparer: Preparer;
  readonly driverOf: (kind: AgentKind) => AgentDriver;
  /** Starts processes marked as this run's. */
  readonly spawnFor: (runId: string) => Spawn;
  /** Kills what an earlier attempt left on this machine: two agents never work on one run (A3). */
  readonly sweepRun: (runId: string) => Promise<unknown>;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  readonly box: SecretBox;
  readonly clock: () => number;
}

/** Executes runs of type `agent`: one run loop for every driver (A1). */
export const agentHandler =
  (options: AgentHandlerOptions) =>
  async (payload: AgentPayload, context: AttemptContext): Promise<unknown> => {
    const { run } = context;
    const found = await patiently(context.signal, () => options.store.getSession(run.lane));
    if (found === null) return fail('invalid_request', 'The session of this run is gone.');
    let path: string;
    try {
      path = await unlessStopped(
        context.signal,
        patiently(context.signal, () => options.preparer.prepare(found)),
      );
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      return fail('agent_unavailable', error.message);
    }
    const message = await messageFor(payload, context, options);
    if (message === null) {
      return fail('invalid_request', 'The original of this message is gone. Send it again.');
    }
    await clearAway(context, options);
    return converse({ found, path, message, context, options });
  };

/** A workspace may take long, or never come; a run can be stopped at any time (Q9). */
async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * An agent whose end nobody recorded may be alive: of this run, or of one before it that ended with
 * its node. Who holds the lane's claim is the only one who may work in it (A3).
 */
async function clearAway(
  { run, signal }: AttemptContext,
  { store, sweepRun, clock }: AgentHandlerOptions,
): Promise<void> {
  for (const left of await patiently(signal, () => store.listUnfinished(run.lane))) {
    await sweepRun(left.runId);
    const ended = { ...left, finishedAt: clock(), error: left.error ?? CUT_OFF };
    await patiently(signal, () => store.putInvocation(ended));
  }
}

const CUT_OFF = { class: 'agent_crash', message: 'Its node ended before it did.' } as const;

async function messageFor(
  payload: AgentPayload,
  { run, signal }: AttemptContext,
  { store, box }: AgentHandlerOptions,
): Promise<string | null> {
  if (!payload.original) return payload.message;
  const sealed = await patiently(signal, () => store.readOriginal(run.id));
  return sealed === null ? null : openOriginal(sealed, run.lane, box);
}

interface Conversation {
  readonly found: SessionWithFacts;
  readonly path: string;
  readonly message: string;
  readonly context: AttemptContext;
  readonly options: AgentHandlerOptions;
}

async function converse(it: Conversation): Promise<unknown> {
  const { found, path, message, context, options } = it;
  const { agent, conversation } = found.session;
  const processes: AgentProcess[] = [];
  const spawn: Spawn = async (argv, how) => {
    const started = await options.spawnFor(context.run.id)(argv, how);
    processes.push(started);
    return started;
  };
  const invocation = begin(it);
  await patiently(context.signal, () => options.store.putInvocation(invocation));
  const recorder = new Recorder({ context, ...options });
  const turn = { agent, message, cwd: path, conversation, spawn, signal: context.signal };
  let end: DriverEnd | null = null;
  let known = conversation;
  try {
    for await (const event of options.driverOf(agent.kind).run(turn)) {
      if (event.kind === 'end') end = event.end;
      else {
        if (event.kind === 'init') {
          known = event.conversation ?? known;
          const { model } = event;
          const init = { agent: agent.kind, cwd: path, ...(model === undefined ? {} : { model }) };
          void context.emit('agent.init', init).catch(() => {});
        }
        await recorder.take(event);
      }
    }
    recorder.end();
    // Stored before anything is cleaned up: from here on the run ends from it (Q10).
    const final = end === null ? null : finalOf(end, options);
    if (final !== null) await context.settle(final.value);
  } finally {
    // Whatever the end: nothing the agent started stays alive (A9).
    await Promise.all(processes.map((each) => each.stop()));
  }
  end ??= { ...NO_END, outcome: { kind: 'failed', error: NO_END_ERROR } };
  await finish(it, invocation, end, known);
  return outcomeOf(end, context, options);
}

const NO_END = { lastMessage: null, exitCode: null, signal: null, stderr: '' } as const;
const NO_END_ERROR = { class: 'agent_crash', message: 'The agent ended without a word.' } as const;

function begin({ found, context, options }: Conversation): InvocationRecord {
  const { run, attempt } = context;
  return {
    id: newId(),
    runId: run.id,
    sessionId: run.lane,
    attempt,
    agent: found.session.agent.kind,
    userId: (run.payload as AgentPayload).sender,
    channel: (run.payload as AgentPayload).channel,
    startedAt: options.clock(),
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

/** The record of the process is whole, and the session knows what was said last. */
async function finish(
  { context, options }: Conversation,
  begun: InvocationRecord,
  end: DriverEnd,
  conversation: string | null,
): Promise<void> {
  const { store, masker, clock } = options;
  const { usage, outcome } = end;
  const said = end.lastMessage;
  const lastResponse = said === null ? null : fitText(masker.mask(said), LAST_RESPONSE_BYTES).text;
  const error = outcome.kind === 'failed' ? outcome.error : null;
  const ended: InvocationRecord = {
    ...begun,
    finishedAt: clock(),
    exitCode: end.exitCode,
    signal: end.signal,
    stderr: fitText(masker.mask(end.stderr), STDERR_BYTES).text,
    error: error === null ? null : { ...error, message: masker.mask(error.message) },
    ...(usage === undefined
      ? {}
      : {
          inputTokens: usage.inputTokens,
          outputTokens: usage.outputTokens,
          cacheCreationTokens: usage.cacheCreationTokens,
          cacheReadTokens: usage.cacheReadTokens,
          model: usage.model,
          costUsd: usage.costUsd,
          costSource: usage.source,
        }),
  };
  const turn = { fence: context.fence, lastResponse, conversation };
  await patiently(context.signal, () => store.putInvocation(ended, turn));
}

/** What no further attempt would change. */
function finalOf(end: DriverEnd, options: AgentHandlerOptions): { value: unknown } | null {
  const { outcome } = end;
  if (outcome.kind === 'succeeded') return { value: resultOf(end, options) };
  if (outcome.kind !== 'failed' || verdictOf(outcome.error.class) === 'retry') return null;
  return { value: fail(outcome.error.class, options.masker.mask(outcome.error.message)) };
}

const resultOf = (end: DriverEnd, { maskJson }: AgentHandlerOptions): Json => {
  if (end.outcome.kind !== 'succeeded') return null;
  const result = maskJson(end.outcome.result);
  return JSON.stringify(result).length <= RESULT_BYTES ? result : null;
};

function outcomeOf(end: DriverEnd, context: AttemptContext, options: AgentHandlerOptions): unknown {
  const { outcome } = end;
  switch (outcome.kind) {
    case 'succeeded':
      return resultOf(end, options);
    case 'failed':
      return fail(outcome.error.class, options.masker.mask(outcome.error.message));
    case 'parked':
      return park(outcome.until, options.masker.mask(outcome.message));
    case 'stopped':
      // The queue knows why it told the run to stop, and what that means for it.
      throw context.signal.reason;
  }
}
