import type { Json } from '../../contract/json.ts';
import { type Run, TERMINAL_STATES } from '../../contract/run.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { PastCalls } from '../../policy/retry-safety.ts';
import { kindOf, kindOfCommand } from '../../policy/tools/kind.ts';
import type { Store } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import { diffSince } from '../../workspaces/snapshot.ts';
import type { ApprovalRecord, ApprovalStore } from '../approvals/approval-store.ts';
import { retryWhileAway } from '../retry-while-away.ts';
import type { SessionStore } from '../session-store.ts';
import { retryDiffOf } from './retry-diff.ts';
import type { RunSoFar } from './turn-plan.ts';

export interface PriorAttemptsOptions {
  readonly store: Pick<Store, 'listAfter' | 'list'> &
    Pick<SessionStore, 'readSnapshot' | 'listInvocations'> &
    Pick<ApprovalStore, 'listApprovalsOf'>;
  readonly context: Pick<AttemptContext, 'run' | 'signal' | 'emit'>;
  /** The workspace. */
  readonly path: string;
  /** Where its snapshots are kept. */
  readonly keep: string;
  readonly maskJson: (value: Json) => Json;
  readonly agent: AgentSpec;
  /** What the agent was told, which for `shell` is what it does. */
  readonly message: string;
}

export interface Past extends Pick<RunSoFar, 'begun' | 'acted' | 'hasPast' | 'answers'> {
  /** Answers that were given to a call which was cut off. */
  readonly reusableAnswers: readonly ApprovalRecord[];
  /** In words, why the run must not be tried again (Q16). */
  readonly unsafe: string | null;
}

const NOTHING: Past = {
  begun: false,
  acted: false,
  hasPast: false,
  answers: [],
  reusableAnswers: [],
  unsafe: null,
};
const PAGE = 1000;
/** With more than this it is not asked which of them began. */
const ENDED_MOST = 100;

/**
 * What earlier attempts of the run have done, from what is stored (Q16): a call is stored before it
 * is allowed. What they may have changed in the workspace is told before the next one begins.
 */
export async function readPriorAttempts(options: PriorAttemptsOptions): Promise<Past> {
  const { store, context, agent } = options;
  const { run, signal } = context;
  if (run.startedAt === null) return NOTHING;
  if (agent.kind === 'shell') return priorCommand(options);
  // Hooks of a trusted repository may answer in the place of people.
  const calls = new PastCalls(kindOf, agent.trusted !== true);
  let begun = false;
  for await (const event of eventsOf(store, run, signal)) {
    calls.see(event);
    begun ||= event.type === 'agent.init';
  }
  if (!begun) return NOTHING;
  const answers = await retryWhileAway(signal, () => store.listApprovalsOf(run.id));
  const safety = calls.safety(answers);
  if (safety.verdict === 'unsafe') {
    return { ...NOTHING, unsafe: unsafe(safety.tool) };
  }
  if (safety.verdict === 'repeat_after_diff') await tellDiff(options);
  return {
    begun,
    acted: calls.ran(answers),
    hasPast: await hasPast(options),
    answers: answers.filter(isToTell),
    reusableAnswers: calls.reusableAnswers(answers),
    unsafe: null,
  };
}

const unsafe = (tool: string): string =>
  `An earlier attempt was cut off after it was allowed to use ${tool}, and whether that happened is not known. Look, and retry by hand.`;

/** The message is the one call, made at once. That it is begun is stored before it is. */
async function priorCommand(options: PriorAttemptsOptions): Promise<Past> {
  const { store, context, message, agent } = options;
  const { run, signal } = context;
  const kind = kindOfCommand(message, agent.command);
  if (kind === 'reading') return NOTHING;
  const begun = await retryWhileAway(signal, () => store.listInvocations(run.id));
  const ran = begun.some(({ error }) => error?.class !== 'overloaded');
  if (!ran) return NOTHING;
  if (kind === 'unrepeatable') return { ...NOTHING, unsafe: unsafe('Bash') };
  await tellDiff(options);
  return NOTHING;
}

/** Some run of the session began, and has ended. */
async function hasPast({ store, context }: PriorAttemptsOptions): Promise<boolean> {
  const { run, signal } = context;
  const ended = { lane: run.lane, states: [...TERMINAL_STATES], limit: ENDED_MOST };
  const runs = await retryWhileAway(signal, () => store.list(ended));
  return runs.length === ENDED_MOST || runs.some(({ startedAt }) => startedAt !== null);
}

/** Answered, and no agent knows it yet. */
const isToTell = ({ state, usedAt }: ApprovalRecord): boolean =>
  usedAt === null && (state === 'allowed' || state === 'denied');

async function* eventsOf(store: PriorAttemptsOptions['store'], run: Run, signal: AbortSignal) {
  let after = run.firstSeq - 1;
  for (;;) {
    const events = await retryWhileAway(signal, () =>
      store.listAfter(run.lane, after, PAGE, run.id),
    );
    yield* events;
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last.seq;
  }
}

async function tellDiff({
  store,
  context,
  path,
  keep,
  maskJson,
}: PriorAttemptsOptions): Promise<void> {
  const { run, signal } = context;
  const before = await retryWhileAway(signal, () => store.readSnapshot(run.id));
  const diff = await diffSince(path, before?.ref ?? null, { keep, signal });
  await context.emit('run.retry_diff', retryDiffOf(before?.attempt ?? 1, diff, maskJson));
}
