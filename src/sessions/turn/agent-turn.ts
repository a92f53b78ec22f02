import {
  type AgentDriver,
  type DriverEnd,
  NOTHING_HEARD,
  type ToolCall,
  type Turn,
} from '../../agents/driver.ts';
import type { AgentProcess, Spawn } from '../../agents/process.ts';
import type { Json } from '../../contract/json.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { AgentKind } from '../../contract/session.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { verdictOf } from '../../policy/retry.ts';
import { kindOf, kindOfCommand } from '../../policy/tools/kind.ts';
import { leaveWaiting } from '../../queue/handler-result.ts';
import type { Store } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { Artefacts } from '../../workspaces/artefacts.ts';
import { takeSnapshot } from '../../workspaces/snapshot.ts';
import type { ApprovalRecord, ApprovalStore } from '../approvals/approval-store.ts';
import { Questions } from '../approvals/questions.ts';
import type { SteerStore } from '../messages/steer-store.ts';
import type { Steering } from '../messages/steering.ts';
import { retryWhileAway } from '../retry-while-away.ts';
import type { InvocationRecord, SessionStore, SessionWithFacts } from '../session-store.ts';
import { fitText } from './fit-text.ts';
import { beginInvocation, endInvocation, withUsage } from './invocation.ts';
import { OutputBudget, RUN_OUTPUT_BYTES, storedBytes } from './output-budget.ts';
import { Recorder } from './recorder.ts';
import { finalOf, outcomeOf } from './turn-outcome.ts';
import type { TurnPlan } from './turn-plan.ts';
import { UsageSoFar } from './usage-so-far.ts';

const LAST_RESPONSE_BYTES = 16 * 1024;
/** How long an agent is kept alive for an answer, unless told (A7). */
export const PARK_MS = 5 * 60_000;

export interface TurnParts {
  readonly store: SessionStore & ApprovalStore & SteerStore & Pick<Store, 'getLane' | 'listAfter'>;
  readonly driverOf: (kind: AgentKind) => AgentDriver;
  /** Starts processes marked as this run's. */
  readonly spawnFor: (runId: string) => Spawn;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  readonly maskCall: (input: Json) => Json;
  readonly clock: () => number;
  readonly artefacts: Pick<Artefacts, 'keep'>;
  /** Where snapshots of a session's workspace are kept. */
  readonly snapshotDirOf: (sessionId: string) => string;
  readonly parkMs?: number;
  /** What one run may store (E10). */
  readonly runOutputBytes?: number;
  /** Whether a run waits for the end of a usage limit, which it does unless told. */
  readonly parkUsageLimit?: boolean;
  /** Brings messages to an agent at work (Q11). */
  readonly steering: Steering;
  /** The rules refused a call. */
  readonly onDenied?: (() => void) | undefined;
}

export interface TurnOptions {
  readonly found: SessionWithFacts;
  readonly path: string;
  readonly plan: TurnPlan;
  /** Answers that an earlier attempt was given for a call which was cut off. */
  readonly reusableAnswers: readonly ApprovalRecord[];
  readonly context: AttemptContext;
  readonly parts: TurnParts;
  readonly decide: (call: ToolCall) => Promise<Verdict>;
  /** Encrypts the input of a question, for people who may answer it. */
  readonly seal: (input: Json, approvalId: string) => string;
  /** Opens an input that a person edited and that was sealed. */
  readonly open: (sealed: string) => Json;
}

/** One attempt's agent, from its start to the record of its end. */
export async function takeTurn(options: TurnOptions): Promise<unknown> {
  const { found, path, plan, context, parts } = options;
  const { store, masker, maskJson, maskCall, clock } = parts;
  const { agent } = found.session;
  const noted = noteStart(options);
  // It is awaited later, or not at all; a failure must not end the process until then.
  noted.catch(() => {});
  // A command runs at once and asks nobody, so there is no later moment before it writes.
  if (agent.kind === 'shell') await noted;
  const invocation = beginInvocation(context, agent.kind, clock());
  await retryWhileAway(context.signal, () => store.putInvocation(invocation));

  const processes: AgentProcess[] = [];
  const spawn: Spawn = async (argv, how) => {
    const started = await parts.spawnFor(context.run.id)(argv, how);
    processes.push(started);
    await mustBeOurs(options);
    return started;
  };
  const { run } = context;
  const spent = await storedBytes(store, run, context.signal);
  const recorder = new Recorder({
    context,
    budget: new OutputBudget(parts.runOutputBytes ?? RUN_OUTPUT_BYTES, spent),
    masker,
    maskJson,
    maskCall,
    keep: (call, text) => parts.artefacts.keep(run.lane, run.id, call, text),
  });
  const parked = new AbortController();
  const questions = new Questions({
    context,
    store,
    decide: options.decide,
    reusableAnswers: options.reusableAnswers,
    stored: () => recorder.stored(),
    maskCall,
    seal: options.seal,
    open: options.open,
    parkMs: parts.parkMs ?? PARK_MS,
    onPark: () => parked.abort(),
    onDenied: parts.onDenied,
  });
  const signal = AbortSignal.any([context.signal, parked.signal]);
  const driver = parts.driverOf(agent.kind);
  const steer = driver.steers === true ? parts.steering.open(context) : undefined;
  const turn: Turn = {
    ...turnOf(options, spawn, signal, permitAfter(noted, questions.permit)),
    ...(steer === undefined ? {} : { steer }),
  };
  let end: DriverEnd | null = null;
  let isAsking = false;
  let known = plan.conversation;
  const tools = new Set<string>();
  const soFar = new UsageSoFar((usage) =>
    retryWhileAway(context.signal, () => store.putInvocation(withUsage(invocation, usage))),
  );
  const ended = (how: DriverEnd): InvocationRecord =>
    endInvocation(invocation, how, [...tools], masker, clock());
  const record = async (ending: InvocationRecord, how: DriverEnd): Promise<void> => {
    await soFar.close();
    const { lastMessage: said, head, usageEarlier, usageAfter } = how;
    const result = {
      fence: context.fence,
      lastResponse: said === null ? null : fitText(masker.mask(said), LAST_RESPONSE_BYTES).text,
      conversation: known,
      ...(head === undefined ? {} : { conversationHead: head }),
      ...(usageEarlier === undefined ? {} : { usageEarlier }),
      ...(usageAfter === undefined ? {} : { usageAfter }),
    };
    await retryWhileAway(context.signal, () => store.putInvocation(ending, result));
  };
  try {
    for await (const event of driver.run(turn)) {
      if (event.kind === 'end') {
        end = event.end;
        continue;
      }
      if (event.kind === 'usage') {
        soFar.put(event.usage);
        continue;
      }
      if (event.kind === 'init') {
        known = event.conversation ?? known;
        const { model } = event;
        const init = { agent: agent.kind, cwd: path, ...(model === undefined ? {} : { model }) };
        // First: a conversation that nobody knows to have begun would be resumed without a check.
        await context.emit('agent.init', init).catch(() => {});
        // At once: whoever comes after a death must know which conversation to go on with (A3).
        await retryWhileAway(context.signal, () =>
          store.putInvocation(invocation, {
            fence: context.fence,
            lastResponse: null,
            conversation: known,
          }),
        );
      }
      if (event.kind === 'event' && event.type === 'agent.tool_use') {
        tools.add(String((event.payload as { tool?: Json }).tool ?? ''));
      }
      await recorder.take(event);
    }
    recorder.end();
    isAsking = questions.areOpen;
    await steer?.close();
    // Stored before anything is cleaned up: from here on the run ends from it (Q10).
    const final = end === null ? null : finalOf(end, parts);
    if (end !== null && final !== null) {
      // What it cost comes first: nobody looks for it once the run has ended.
      await record({ ...ended(end), finishedAt: null }, end);
      await context.settle(final.value);
    }
    if (final !== null && steer !== undefined) {
      await retryWhileAway(context.signal, () =>
        store.releaseSteers(context.run.id, context.fence),
      );
    }
  } finally {
    // Whatever the end: nothing the agent started stays alive (A9).
    await Promise.all(processes.map((each) => each.stop()));
    await steer?.close().catch(() => {});
    if (isCancelled(context)) await questions.withdrawAll('The run was cancelled.').catch(() => {});
    await questions.close();
  }
  end ??= { ...NOTHING_HEARD, outcome: { kind: 'failed', error: NO_END_ERROR } };
  await record(ended(end), end);
  // An agent that died with its question open: the answer is what goes on with the run (Q8).
  const isParked = parked.signal.aborted || (isAsking && isRetried(end));
  if (isParked && !context.signal.aborted && finalOf(end, parts) === null) return leaveWaiting();
  const outcome = outcomeOf(end, parts);
  if (outcome !== null) return outcome.value;
  throw context.signal.reason;
}

function turnOf(
  { found, path, plan, parts }: TurnOptions,
  spawn: Spawn,
  signal: AbortSignal,
  permit: NonNullable<Turn['permit']>,
): Turn {
  const { agent, budgetUsd, costUsd, usageBefore } = found.session;
  const { maxTurns, systemPrompt, mcpServers, trusted } = agent;
  return {
    agent,
    ...plan,
    cwd: path,
    spawn,
    maskStream: () => parts.masker.stream(),
    signal,
    permit,
    // Of another conversation it says nothing.
    ...(plan.conversation === null && plan.fork === undefined ? {} : { usageBefore }),
    limits: {
      ...(maxTurns === undefined ? {} : { turns: maxTurns }),
      ...(budgetUsd === null ? {} : { budgetUsd: Math.max(0, budgetUsd - costUsd) }),
    },
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(trusted === undefined ? {} : { trusted }),
  };
}

/**
 * A node that stood still may wake when another has the run, and start an agent behind its back. Who
 * takes a run over stops what was started before; so what is started is looked at before it hears a
 * word, and two never go on with one conversation (A3). A command has none.
 */
async function mustBeOurs({ found, context, parts }: TurnOptions): Promise<void> {
  if (found.session.agent.kind === 'shell') return;
  const { run, fence, signal } = context;
  const lane = await retryWhileAway(signal, () => parts.store.getLane(run.lane));
  if (lane?.fence !== fence) throw new Error('Another attempt has the run.');
}

/** What the workspace is like now, so that what is done to it can be told later (Q16). */
async function noteStart({ path, context, parts, found, plan }: TurnOptions): Promise<void> {
  const { kind, command } = found.session.agent;
  // Only what may run again needs it, and reading changes nothing.
  if (kind === 'shell' && kindOfCommand(plan.message, command) !== 'writing') return;
  const { run, attempt, signal } = context;
  const keep = parts.snapshotDirOf(run.lane);
  const ref = await takeSnapshot(path, { keep, isFirst: run.startedAt === null, signal });
  const snapshot = { runId: run.id, sessionId: run.lane, attempt, kind: ref.kind, ref };
  await retryWhileAway(signal, () => parts.store.putSnapshot(snapshot));
}

/** Reading need not wait for `noted`; it goes on beside the agent's own start. */
function permitAfter(
  noted: Promise<void>,
  permit: NonNullable<Turn['permit']>,
): NonNullable<Turn['permit']> {
  return async (call, withdrawn) => {
    const answer = await permit(call, withdrawn);
    if (answer.behavior === 'deny') return answer;
    const input = answer.input ?? call.input;
    if (kindOf({ tool: call.tool, input }) !== 'reading') await noted;
    return answer;
  };
}

const isRetried = ({ outcome }: DriverEnd): boolean =>
  outcome.kind === 'failed' && verdictOf(outcome.error.class) === 'retry';

const isCancelled = ({ signal }: AttemptContext): boolean =>
  signal.aborted && (signal.reason as { kind?: string }).kind === 'cancelled';

const NO_END_ERROR = { class: 'agent_crash', message: 'The agent ended without a word.' } as const;
