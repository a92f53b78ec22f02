import type { Json } from '../contract/json.ts';
import { type Run, TERMINAL_STATES } from '../contract/run.ts';
import { PastCalls } from '../policy/retry-safety.ts';
import type { AttemptContext } from '../queue/attempt-context.ts';
import type { Store } from '../queue/store.ts';
import { diffSince } from '../workspaces/snapshot.ts';
import type { ApprovalRecord, ApprovalStore } from './approval-store.ts';
import { patiently } from './patiently.ts';
import { retryDiffOf } from './retry-diff.ts';
import type { SessionStore } from './session-store.ts';
import type { RunSoFar } from './turn-plan.ts';

export interface LookBackOptions {
  readonly store: Pick<Store, 'listAfter' | 'list'> &
    Pick<SessionStore, 'readSnapshot'> &
    Pick<ApprovalStore, 'listApprovalsOf'>;
  readonly context: Pick<AttemptContext, 'run' | 'signal' | 'emit'>;
  /** The workspace. */
  readonly path: string;
  readonly maskJson: (value: Json) => Json;
}

export interface Past extends Pick<RunSoFar, 'begun' | 'acted' | 'hasPast' | 'answers'> {
  /** Answers that were given to a call which was cut off. */
  readonly stillGood: readonly ApprovalRecord[];
  /** In words, why the run must not be tried again (Q16). */
  readonly unsafe: string | null;
}

const NOTHING: Past = {
  begun: false,
  acted: false,
  hasPast: false,
  answers: [],
  stillGood: [],
  unsafe: null,
};
const PAGE = 1000;

/**
 * What earlier attempts of the run have done, from what is stored (Q16): a call is stored before it
 * is allowed. What they may have changed in the workspace is told before the next one begins.
 */
export async function lookBack(options: LookBackOptions): Promise<Past> {
  const { store, context } = options;
  const { run, signal } = context;
  if (run.startedAt === null) return NOTHING;
  const calls = new PastCalls();
  let begun = false;
  for await (const event of eventsOf(store, run, signal)) {
    calls.see(event);
    begun ||= event.type === 'agent.init';
  }
  if (!begun) return NOTHING;
  const answers = await patiently(signal, () => store.listApprovalsOf(run.id));
  const safety = calls.safety(answers);
  if (safety.verdict === 'unsafe') {
    const unsafe = `An earlier attempt was cut off after it was allowed to use ${safety.tool}, and whether that happened is not known. Look, and retry by hand.`;
    return { ...NOTHING, unsafe };
  }
  if (safety.verdict === 'repeat_after_diff') await tellDiff(options);
  const ended = { lane: run.lane, states: [...TERMINAL_STATES], limit: 1 };
  return {
    begun,
    acted: calls.ran(answers),
    hasPast: (await patiently(signal, () => store.list(ended))).length > 0,
    answers: answers.filter(isToTell),
    stillGood: calls.stillGood(answers),
    unsafe: null,
  };
}

/** Answered, and no agent knows it yet. */
const isToTell = ({ state, usedAt }: ApprovalRecord): boolean =>
  usedAt === null && (state === 'allowed' || state === 'denied');

async function* eventsOf(store: LookBackOptions['store'], run: Run, signal: AbortSignal) {
  let after = run.firstSeq - 1;
  for (;;) {
    const events = await patiently(signal, () => store.listAfter(run.lane, after, PAGE, run.id));
    yield* events;
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return;
    after = last.seq;
  }
}

async function tellDiff({ store, context, path, maskJson }: LookBackOptions): Promise<void> {
  const { run, signal } = context;
  const before = await patiently(signal, () => store.readSnapshot(run.id));
  const diff = await diffSince(path, before?.ref ?? null, { signal });
  await context.emit('run.retry_diff', retryDiffOf(before?.attempt ?? 1, diff, maskJson));
}
