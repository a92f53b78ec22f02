import {
  type AgentDriver,
  type DriverEnd,
  NOTHING_HEARD,
  type ToolCall,
  type Turn,
  type TurnRuntime,
} from '../../agents/driver.ts';
import { capabilitiesOf, takesCommands } from '../../contract/agent-kinds.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import { defined } from '../../contract/functions/defined.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { AgentKind } from '../../contract/session.ts';
import type { Json } from '../../contract/values/json.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { verdictOf } from '../../policy/retry.ts';
import { kindOf, kindOfCommand } from '../../policy/tools/kind.ts';
import { leaveWaiting } from '../../queue/handler-result.ts';
import type { Store } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { Artefacts } from '../../workspaces/artefacts.ts';
import type { Process } from '../../workspaces/process.ts';
import type { Runtime } from '../../workspaces/runtime.ts';
import type { ApprovalRecord, ApprovalStore } from '../approvals/approval-store.ts';
import { Questions } from '../approvals/questions.ts';
import type { SteerStore } from '../messages/steer-store.ts';
import type { Steering } from '../messages/steering.ts';
import type { InvocationRecord, SessionStore, SessionWithFacts } from '../session-store.ts';
import { fitEnd } from './fit-end.ts';
import { beginInvocation, endInvocation, withUsage } from './invocation.ts';
import { OutputBudget, RUN_OUTPUT_BYTES, storedBytes } from './output-budget.ts';
import { Recorder } from './recorder.ts';
import { finalOf, outcomeOf } from './turn-outcome.ts';
import type { TurnPlan } from './turn-plan.ts';
import { UsageSoFar } from './usage-so-far.ts';

const LAST_RESPONSE_BYTES = 16 * 1024;
/** How long an agent is kept alive while it waits for an answer, by default (A7). */
export const PARK_MS = 5 * 60_000;

export interface TurnParts {
  readonly store: SessionStore & ApprovalStore & SteerStore & Pick<Store, 'getLane' | 'listAfter'>;
  readonly driverOf: (kind: AgentKind) => AgentDriver;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  readonly maskCall: (input: Json) => Json;
  readonly clock: () => number;
  readonly artefacts: Pick<Artefacts, 'keep'>;
  readonly parkMs?: number;
  /** How much output one run may store (E10). */
  readonly runOutputBytes?: number;
  /** Whether a run waits until a usage limit is reset; true by default. */
  readonly parkUsageLimit?: boolean;
  /** Delivers messages to a working agent (Q11). */
  readonly steering: Steering;
  /** Called when the rules refuse a tool call, for metrics. */
  readonly onDenied?: (() => void) | undefined;
}

export interface TurnOptions {
  readonly current: SessionWithFacts;
  readonly runtime: Runtime;
  readonly plan: TurnPlan;
  /** Answers to calls that were interrupted in an earlier attempt. */
  readonly reusableAnswers: readonly ApprovalRecord[];
  readonly context: AttemptContext<HandlerEvents>;
  readonly parts: TurnParts;
  readonly decide: (call: ToolCall) => Promise<Verdict>;
  /** Encrypts the input of a question, so that people who may answer it can see it. */
  readonly seal: (input: Json, approvalId: string) => string;
  /** Decrypts an input that a person edited. */
  readonly open: (sealed: string) => Json;
  readonly digest: (text: string) => string;
}

/** Runs one attempt's agent, from its start until its end is recorded. */
export async function takeTurn(options: TurnOptions): Promise<unknown> {
  const over = new AbortController();
  const noted = noteStart(options, AbortSignal.any([options.context.signal, over.signal]));
  // Awaited later; until then, a failure must not become an unhandled rejection.
  noted.catch(() => {});
  try {
    return await attend(options, noted);
  } finally {
    // A snapshot that nothing has waited for is not needed. If it were still being taken when the
    // session's next run begins, it would replace that run's snapshot.
    over.abort();
    await noted.catch(() => {});
  }
}

async function attend(options: TurnOptions, noted: Promise<void>): Promise<unknown> {
  const { current, plan, context, parts } = options;
  const { store, masker, maskJson, maskCall, clock } = parts;
  const { agent } = current.session;
  // A command runs at once and asks no one, so this is the last moment before it may write.
  if (takesCommands(agent)) await noted;
  const invocation = beginInvocation(context, agent.kind, clock());
  await store.putInvocation(invocation);

  const processes: Process[] = [];
  const runtime: TurnRuntime = {
    ...options.runtime,
    spawn: async (argv, how) => {
      const started = await options.runtime.spawn(argv, { ...how, unit: context.run.id });
      processes.push(started);
      await mustBeOurs(options);
      return started;
    },
  };
  const { run } = context;
  const spent = await storedBytes(store, run);
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
    digest: options.digest,
    parkMs: parts.parkMs ?? PARK_MS,
    onPark: () => parked.abort(),
    onDenied: parts.onDenied,
  });
  const signal = AbortSignal.any([context.signal, parked.signal]);
  const driver = parts.driverOf(agent.kind);
  const steer = driver.capabilities.steers ? parts.steering.open(context) : undefined;
  const turn: Turn = {
    ...turnOf(options, runtime, signal, permitAfter(noted, questions.permit)),
    ...(steer === undefined ? {} : { steer }),
  };
  let end: DriverEnd | null = null;
  let isAsking = false;
  let known = plan.conversation;
  const tools = new Set<string>();
  const soFar = new UsageSoFar((usage) => store.putInvocation(withUsage(invocation, usage)));
  const ended = (how: DriverEnd): InvocationRecord =>
    endInvocation(invocation, how, [...tools], masker, clock());
  const record = async (ending: InvocationRecord, how: DriverEnd): Promise<void> => {
    await soFar.close();
    const { lastMessage: said, head, usageEarlier, usageAfter } = how;
    const result = {
      fence: context.fence,
      lastResponse: said === null ? null : fitEnd(masker.mask(said), LAST_RESPONSE_BYTES).text,
      conversation: known,
      ...defined({ conversationHead: head, usageEarlier, usageAfter }),
    };
    await store.putInvocation(ending, result);
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
        const init = {
          agent: agent.kind,
          cwd: runtime.root,
          ...(model === undefined ? {} : { model }),
        };
        // Emitted first, because a conversation without this event would be resumed without a
        // check.
        await context.emit('agent.init', init).catch(() => {});
        // Stored at once, because after a crash the next attempt must know which conversation to
        // resume (A3).
        await store.putInvocation(invocation, {
          fence: context.fence,
          lastResponse: null,
          conversation: known,
        });
      }
      if (event.kind === 'event' && event.type === 'agent.tool_use') {
        tools.add(event.payload.tool);
      }
      await recorder.take(event);
    }
    recorder.end();
    isAsking = questions.areOpen;
    await steer?.close();
    // Stored before any cleanup: from here on, this outcome ends the run (Q10).
    const final = end === null ? null : finalOf(end, parts);
    if (end !== null && final !== null) {
      // The cost is stored first: nothing reads it again once the run has ended.
      await record({ ...ended(end), finishedAt: null }, end);
      await context.commit(final.value);
    }
    if (final !== null && steer !== undefined) {
      await store.releaseSteers(context.run.id, context.fence);
    }
  } finally {
    // However the turn ended, nothing that the agent started stays alive (A9).
    await Promise.all(processes.map((each) => each.stop()));
    await steer?.close().catch(() => {});
    if (isCancelled(context.signal))
      await questions.withdrawAll('The run was cancelled.').catch(() => {});
    await questions.close();
  }
  end ??= { ...NOTHING_HEARD, outcome: { kind: 'failed', error: NO_END_ERROR } };
  await record(ended(end), end);
  // If the agent died with a question open, the answer continues the run (Q8).
  const isParked = parked.signal.aborted || (isAsking && isRetried(end));
  if (isParked && !context.signal.aborted && finalOf(end, parts) === null) return leaveWaiting();
  const outcome = outcomeOf(end, parts);
  if (outcome !== null) return outcome.value;
  throw context.signal.reason;
}

function turnOf(
  { current, plan, parts }: TurnOptions,
  runtime: TurnRuntime,
  signal: AbortSignal,
  permit: NonNullable<Turn['permit']>,
): Turn {
  const { agent, budgetUsd, costUsd, usageBefore } = current.session;
  const { maxTurns, systemPrompt, mcpServers, trusted } = agent;
  return {
    agent,
    ...plan,
    runtime,
    maskStream: () => parts.masker.stream(),
    signal,
    permit,
    // Earlier usage does not apply to a new conversation.
    ...(plan.conversation === null && plan.fork === undefined ? {} : { usageBefore }),
    limits: {
      ...(maxTurns === undefined ? {} : { turns: maxTurns }),
      ...(budgetUsd === null ? {} : { budgetUsd: Math.max(0, budgetUsd - costUsd) }),
    },
    ...defined({ systemPrompt, mcpServers, trusted }),
  };
}

/**
 * A suspended node may wake up after another node has taken over the run, and start an agent that
 * the other node does not know about. Since a takeover kills earlier processes, it is enough to
 * check the fence after the start, before the agent gets any input: two agents never continue one
 * conversation (A3).
 */
async function mustBeOurs({ current, context, parts }: TurnOptions): Promise<void> {
  if (!capabilitiesOf(current.session.agent.kind).resumes) return;
  const { run, fence } = context;
  const lane = await parts.store.getLane(run.lane);
  if (lane?.fence !== fence) throw new Error('The run now belongs to another attempt.');
}

/** Takes a snapshot of the workspace, so that changes to it can be reported later (Q16). */
async function noteStart(
  { runtime, context, parts, current, plan }: TurnOptions,
  signal: AbortSignal,
): Promise<void> {
  const { agent } = current.session;
  // Only commands that may be repeated need a snapshot, and reading changes nothing.
  if (takesCommands(agent) && kindOfCommand(plan.message, agent.command) !== 'writing') return;
  const { run, attempt } = context;
  const ref = await runtime.snapshot({ isFirst: run.startedAt === null, signal });
  if (signal.aborted) return;
  const snapshot = { runId: run.id, sessionId: run.lane, attempt, kind: ref.kind, ref };
  await parts.store.putSnapshot(snapshot);
}

/** The snapshot is taken while the agent starts; only calls that may write wait for it. */
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

const isCancelled = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as { kind?: string }).kind === 'cancelled';

const NO_END_ERROR = {
  class: 'agent_crash',
  message: 'The agent exited without reporting a result.',
} as const;
