import { takesCommands } from '../../contract/agent-kinds.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import { typeOf } from '../../contract/events/type-of.ts';
import { type Run, TERMINAL_STATES } from '../../contract/run.ts';
import type { AgentSpec } from '../../contract/session.ts';
import type { Json } from '../../contract/values/json.ts';
import { PastCalls } from '../../policy/retry-safety.ts';
import { kindOf, kindOfCommand } from '../../policy/tools/kind.ts';
import type { Store } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { Runtime } from '../../workspaces/runtime.ts';
import type { ApprovalRecord, ApprovalStore } from '../approvals/approval-store.ts';
import type { SessionStore } from '../session-store.ts';
import { retryDiffOf } from './retry-diff.ts';
import type { RunSoFar } from './turn-plan.ts';

export interface PriorAttemptsOptions {
  readonly store: Pick<Store, 'listAfter' | 'list'> &
    Pick<SessionStore, 'readSnapshot' | 'listInvocations'> &
    Pick<ApprovalStore, 'listApprovalsOf'>;
  readonly context: Pick<AttemptContext<HandlerEvents>, 'run' | 'signal' | 'emit'>;
  readonly runtime: Pick<Runtime, 'diff'>;
  readonly maskJson: (value: Json) => Json;
  readonly agent: AgentSpec;
  /** The message to the agent, or the command that it runs. */
  readonly message: string;
}

export interface PriorAttempts extends Pick<RunSoFar, 'begun' | 'acted' | 'hasPast' | 'answers'> {
  /** Answers to calls that were interrupted. */
  readonly reusableAnswers: readonly ApprovalRecord[];
  /** An explanation for people of why the run must not be attempted again (Q16). */
  readonly unsafe: string | null;
}

const NOTHING: PriorAttempts = {
  begun: false,
  acted: false,
  hasPast: false,
  answers: [],
  reusableAnswers: [],
  unsafe: null,
};
const PAGE = 1000;
/** If there are this many ended runs, one of them is assumed to have started. */
const ENDED_MOST = 100;

/**
 * Reads from the log what earlier attempts of the run have done (Q16); a call is stored before it
 * is allowed. Before the next attempt starts, emits what the earlier ones may have changed in the
 * workspace.
 */
export async function readPriorAttempts(options: PriorAttemptsOptions): Promise<PriorAttempts> {
  const { store, context, agent } = options;
  const { run } = context;
  if (run.startedAt === null) return NOTHING;
  if (takesCommands(agent)) return readPriorCommand(options);
  // A trusted repository's hooks may answer instead of people.
  const calls = new PastCalls(kindOf, agent.trusted !== true);
  let begun = false;
  for await (const event of eventsOf(store, run)) {
    calls.observe(event);
    begun ||= typeOf(event) === 'agent.init';
  }
  if (!begun) return NOTHING;
  const answers = await store.listApprovalsOf(run.id);
  const safety = calls.safety(answers);
  if (safety.verdict === 'unsafe') {
    return { ...NOTHING, unsafe: unsafe(safety.tool) };
  }
  if (safety.verdict === 'repeat_after_diff') await emitDiff(options);
  return {
    begun,
    acted: calls.ran(answers),
    hasPast: await hasPast(options),
    answers: answers.filter(isUndelivered),
    reusableAnswers: calls.reusableAnswers(answers),
    unsafe: null,
  };
}

const unsafe = (tool: string): string =>
  `An earlier attempt was interrupted after it was allowed to use ${tool}, and it is unknown whether that took effect. Check whether it did, then retry manually.`;

/**
 * If the message is a command, it is the run's only call. The command's invocation is stored before
 * the command starts.
 */
async function readPriorCommand(options: PriorAttemptsOptions): Promise<PriorAttempts> {
  const { store, context, message, agent } = options;
  const { run } = context;
  const kind = kindOfCommand(message, agent.command);
  if (kind === 'reading') return NOTHING;
  const begun = await store.listInvocations(run.id);
  const ran = begun.some(({ error }) => error?.class !== 'overloaded');
  if (!ran) return NOTHING;
  if (kind === 'unrepeatable') return { ...NOTHING, unsafe: unsafe('Bash') };
  await emitDiff(options);
  return NOTHING;
}

/** Whether any run of the session has started and ended. */
async function hasPast({ store, context }: PriorAttemptsOptions): Promise<boolean> {
  const { run } = context;
  const ended = { lane: run.lane, states: [...TERMINAL_STATES], limit: ENDED_MOST };
  const runs = await store.list(ended);
  return runs.length === ENDED_MOST || runs.some(({ startedAt }) => startedAt !== null);
}

/** Answered, but not yet delivered to an agent. */
const isUndelivered = ({ state, usedAt }: ApprovalRecord): boolean =>
  usedAt === null && (state === 'allowed' || state === 'denied');

async function* eventsOf(store: PriorAttemptsOptions['store'], run: Run) {
  let after = run.firstSeq - 1;
  for (;;) {
    const events = await store.listAfter(run.lane, after, PAGE, run.id);
    yield* events;
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last.seq;
  }
}

async function emitDiff({
  store,
  context,
  runtime,
  maskJson,
}: PriorAttemptsOptions): Promise<void> {
  const { run, signal } = context;
  const before = await store.readSnapshot(run.id);
  const diff = await runtime.diff(before?.ref ?? null, { signal });
  await context.emit('run.retry_diff', retryDiffOf(before?.attempt ?? 1, diff, maskJson));
}
