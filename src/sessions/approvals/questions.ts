import type { ToolAnswer, ToolCall } from '../../agents/driver.ts';
import { fitJson } from '../../agents/fit.ts';
import type { ApprovalKind } from '../../contract/approval.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import type { Verdict } from '../../contract/policy.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Json } from '../../contract/values/json.ts';
import { kindOf } from '../../policy/tools/kind.ts';
import { canonicalJson } from '../../queue/json-text.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import { linksIn } from '../rules/judge-call.ts';
import type { ApprovalRecord, ApprovalStore } from './approval-store.ts';

export interface QuestionsOptions {
  readonly context: Pick<
    AttemptContext<HandlerEvents>,
    'run' | 'attempt' | 'fence' | 'signal' | 'emit' | 'wait' | 'log'
  >;
  readonly store: Pick<
    ApprovalStore,
    'openApproval' | 'getApproval' | 'listApprovalsOf' | 'useApproval' | 'withdrawApproval'
  >;
  /** Checks a call against the tool rules. */
  readonly decide: (call: ToolCall) => Promise<Verdict>;
  /** Resolves when everything recorded so far is stored. */
  readonly stored: () => Promise<void>;
  /** Masks a call for the log and for people; no mask covers shell syntax (P4). */
  readonly maskCall: (input: Json) => Json;
  /** Encrypts the input of a question, so that people who may answer it can see it. */
  readonly seal: (input: Json, approvalId: string) => string;
  readonly open: (sealed: string) => Json;
  /** Identifies equal calls. Keyed, because the call may contain a secret. */
  readonly digest: (text: string) => string;
  /** Answers to calls that were interrupted in an earlier attempt. */
  readonly reusableAnswers: readonly ApprovalRecord[];
  /** How long an agent is kept alive while it waits for an answer. */
  readonly parkMs: number;
  /**
   * Called when an answer takes too long: the agent must be stopped, but its question stays open.
   */
  readonly onPark: () => void;
  readonly onDenied?: (() => void) | undefined;
}

interface Open {
  readonly answer: (record: ApprovalRecord) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Decides whether an agent may use a tool (A7, P3): by the rules, by a person's answer to an
 * earlier attempt, or by asking. While a question is open, the run is `waiting` and occupies no
 * slot.
 */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  /** Answers given to this attempt's agent; each is valid for one call. */
  readonly #given = new Set<string>();
  /** The last call for each digest, until it is answered. */
  readonly #asked = new Map<string, Promise<unknown>>();
  #waiting: Promise<void> | null = null;
  #withdrawing: Promise<unknown>[] = [];

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  #digestOf({ tool, input }: ToolCall): string {
    return this.#options.digest(canonicalJson([tool, input]));
  }

  readonly permit = async (call: ToolCall, withdrawn: AbortSignal): Promise<ToolAnswer> => {
    // A call is stored before it is allowed, so it is known after any crash (Q16).
    await this.#options.stored();
    const digest = this.#digestOf(call);
    // Identical concurrent calls are judged one after the other, because an answer is valid for
    // only one of them.
    const before = this.#asked.get(digest) ?? Promise.resolve();
    const answer = before.then(() => this.#judge(call, withdrawn));
    this.#asked.set(
      digest,
      answer.catch(() => {}),
    );
    return answer;
  };

  async #judge(call: ToolCall, withdrawn: AbortSignal): Promise<ToolAnswer> {
    const verdict = await this.#options.decide(call);
    if (verdict.decision === 'allow') {
      await this.#note(call, verdict.reason);
      return { behavior: 'allow' };
    }
    if (verdict.decision === 'deny') return this.#deny(call, verdict);
    return (await this.#answeredBefore(call)) ?? this.#ask(call, verdict, withdrawn);
  }

  /** Before a call that must not run twice starts, records that it was allowed (Q16). */
  async #note({ id, tool, input }: ToolCall, reason: string): Promise<void> {
    const { context, maskCall } = this.#options;
    const { value, truncated } = fitJson(maskCall(input));
    // The call also counts as unrepeatable if only its logged form looks so, because a later
    // attempt has only the log.
    const once = [input, value].some((each) => kindOf({ tool, input: each }) === 'unrepeatable');
    if (once || truncated) await context.emit('policy.allowed', { callId: id, tool, reason });
  }

  async #deny(
    { id, tool, input }: ToolCall,
    { rule, scope, reason }: Verdict,
  ): Promise<ToolAnswer> {
    const { context, maskCall, onDenied } = this.#options;
    const { value, truncated } = fitJson(maskCall(input));
    const masked = String(maskCall(reason));
    const denied = { callId: id, tool, input: value, rule, scope, reason: masked };
    await context.emit('policy.denied', truncated ? { ...denied, truncated } : denied);
    onDenied?.();
    return { behavior: 'deny', message: reason };
  }

  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Withdraws all open questions of a cancelled run, which needs no more answers. */
  async withdrawAll(reason: string): Promise<void> {
    const { store } = this.#options;
    const ids = [...this.#open.keys()];
    await Promise.all(ids.map((id) => store.withdrawApproval(id, reason)));
  }

  /** Fails all open questions; resolves when withdrawals in progress are done. */
  async close(): Promise<void> {
    for (const { fail } of this.#open.values()) fail(new Error('The agent has exited.'));
    this.#open.clear();
    await Promise.allSettled(this.#withdrawing);
  }

  async #ask(call: ToolCall, verdict: Verdict, withdrawn: AbortSignal): Promise<ToolAnswer> {
    const { context, store, maskCall, seal } = this.#options;
    const id = newId();
    const input = maskCall(call.input);
    const masked = JSON.stringify(input) !== JSON.stringify(call.input);
    const original = masked ? seal(call.input, id) : null;
    const approval = await store.openApproval({
      id,
      sessionId: context.run.lane,
      runId: context.run.id,
      attempt: context.attempt,
      fence: context.fence,
      callId: call.id,
      kind: KINDS[call.tool] ?? 'tool',
      tool: call.tool,
      input,
      masked,
      original,
      digest: this.#digestOf(call),
      // Masked, because the reason may name the target of a link, which the agent chose.
      reason: String(maskCall(verdict.reason)),
      enforced: verdict.enforced ?? false,
    });
    if (approval === null) throw new Error('The run now belongs to another attempt.');
    const { promise, resolve, reject } = Promise.withResolvers<ApprovalRecord>();
    this.#open.set(approval.id, { answer: resolve, fail: reject });
    const withdraw = (): void => this.#withdraw(approval.id);
    withdrawn.addEventListener('abort', withdraw, { once: true });
    if (withdrawn.aborted) withdraw();
    this.#waiting ??= this.#wait().finally(() => {
      this.#waiting = null;
    });
    try {
      return await this.#use(await promise, call);
    } finally {
      withdrawn.removeEventListener('abort', withdraw);
    }
  }

  /**
   * Waits until every open question is answered. An answer given before the run began to wait also
   * counts.
   */
  async #wait(): Promise<void> {
    const { context, parkMs, onPark } = this.#options;
    try {
      while (this.#open.size > 0) {
        await this.#deliver();
        if (this.#open.size === 0) return;
        const park = setTimeout(onPark, parkMs);
        await context.wait().finally(() => clearTimeout(park));
      }
    } catch (error) {
      for (const { fail } of this.#open.values()) fail(error);
      this.#open.clear();
    }
  }

  async #deliver(): Promise<void> {
    const { store } = this.#options;
    for (const [id, { answer }] of [...this.#open]) {
      const record = await store.getApproval(id);
      if (record === null || record.state === 'pending') continue;
      this.#open.delete(id);
      answer(record);
    }
  }

  #withdraw(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    const { context, store } = this.#options;
    this.#withdrawing.push(
      store
        .withdrawApproval(id, 'The agent withdrew its question.')
        .catch((err: unknown) => context.log.warn({ err }, 'Could not withdraw a question')),
    );
    open.fail(new Error('The question was withdrawn.'));
  }

  async #answeredBefore(call: ToolCall): Promise<ToolAnswer | null> {
    const { context, store, reusableAnswers } = this.#options;
    const digest = this.#digestOf(call);
    const fits = (each: ApprovalRecord): boolean =>
      each.digest === digest &&
      !this.#given.has(each.id) &&
      (each.state === 'allowed' || each.state === 'denied');
    const reusable = reusableAnswers.find(fits);
    if (reusable !== undefined) {
      if (reusable.state === 'allowed') await this.#note(call, 'an earlier attempt was allowed to');
      return this.#give(reusable, call);
    }
    // Read each time, because one question may be answered while another is being asked.
    const all = await store.listApprovalsOf(context.run.id);
    const unused = all.find((each) => each.usedAt === null && fits(each));
    return unused === undefined ? null : this.#use(unused, call);
  }

  /**
   * Before handing over the answer, records that it was given, because it is valid for only one
   * call.
   */
  async #use(record: ApprovalRecord, call: ToolCall): Promise<ToolAnswer> {
    const { context, store } = this.#options;
    this.#given.add(record.id);
    if (record.state === 'withdrawn')
      return { behavior: 'deny', message: 'The question was withdrawn.' };
    const ours = await store.useApproval(record.id, context.fence);
    if (!ours) return { behavior: 'deny', message: 'The answer was given to another attempt.' };
    return this.#give(record, call);
  }

  /**
   * Checks the rules again: edited input makes it a different call, and the rules may have changed
   * since (P3).
   */
  async #give(record: ApprovalRecord, call: ToolCall): Promise<ToolAnswer> {
    this.#given.add(record.id);
    if (record.state === 'denied') {
      return { behavior: 'deny', message: record.message ?? 'A person denied this.' };
    }
    const { sealedInput, editedInput } = record;
    const edited = sealedInput === null ? editedInput : this.#options.open(sealedInput);
    const used = edited === null ? call : { ...call, input: edited };
    const verdict = await this.#options.decide(used);
    if (verdict.decision === 'deny') return this.#deny(used, verdict);
    const links = linksIn(String(this.#options.maskCall(verdict.reason)));
    if (verdict.decision === 'ask' && links !== linksIn(record.reason)) {
      return { behavior: 'deny', message: LINKS_CHANGED };
    }
    return edited === null ? { behavior: 'allow' } : { behavior: 'allow', input: edited };
  }
}

const LINKS_CHANGED =
  'A path in this call no longer leads to the same place as when the call was approved. Make the call again to request approval again.';

const KINDS: Readonly<Record<string, ApprovalKind>> = {
  AskUserQuestion: 'question',
  ExitPlanMode: 'plan',
};
