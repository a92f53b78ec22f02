import type { LogEvent } from '../contract/event.ts';
import { payloadOf } from '../contract/events/table.ts';
import { typeOf } from '../contract/events/type-of.ts';
import type { Json } from '../contract/values/json.ts';
import { kindOf } from './tools/kind.ts';
import { TOOLS, type ToolKind } from './tools/tool-table.ts';

/*
 * Works out what a run's prior attempts did, and therefore whether it may be retried (Q16). A call
 * is stored before it is answered, so a call that is not in the log did not run; a call without a
 * result may have run completely, partly or not at all.
 */

export type RetrySafety =
  /** Nothing was changed. */
  | { readonly verdict: 'repeat' }
  /** Something may have changed, so the changes are recorded before the agent continues. */
  | { readonly verdict: 'repeat_after_diff' }
  /** This call may have run, and it must not run twice. */
  | { readonly verdict: 'unsafe'; readonly tool: string; readonly input: Json };

/** One of the run's approvals; `usedAt` is when an agent received its answer. */
export interface PastAnswer {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly editedInput: Json;
  readonly state: 'pending' | 'allowed' | 'denied' | 'withdrawn';
  readonly createdAt: number;
  readonly decidedAt: number | null;
  readonly usedAt: number | null;
}

type PastEvent = Pick<LogEvent, 'type' | 'payload' | 'at'>;

type KindOf = (call: { readonly tool: string; readonly input: Json }) => ToolKind;

interface PastCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly kind: ToolKind;
  readonly at: number;
  /** When the next attempt began. An answer that an agent received later was not for this call. */
  readonly until: number;
  /** The log contains a `policy.allowed` event for this call. */
  readonly allowed: boolean;
}

/** Reads a run's log event by event, and keeps only the calls without a result. */
export class PastCalls {
  readonly #kindOf: KindOf;
  readonly #asksAll: boolean;
  /** Calls of the attempt being read, by id. */
  readonly #open = new Map<string, PastCall>();
  /** Calls of earlier attempts; a later result for one of them is only the agent's guess. */
  readonly #cutOff: PastCall[] = [];
  /** Calls that a later attempt repeated and finished. */
  readonly #redone = new Set<PastCall>();
  #ran = false;
  #wrote = false;

  /** `asksAll`: the agent asks before every call, so every allowed call is in the log as allowed. */
  constructor(kind: KindOf = kindOf, asksAll = false) {
    this.#kindOf = kind;
    this.#asksAll = asksAll;
  }

  observe(event: PastEvent): void {
    if (typeOf(event) === 'run.dequeued') this.#cut(event.at);
    this.#begin(event);
    this.#finish(event);
    this.#deny(event);
    this.#allow(event);
  }

  /**
   * Whether any call may have run. If none has, nothing is lost when the run continues without its
   * conversation (A3).
   */
  ran(answers: readonly PastAnswer[]): boolean {
    return this.#ran || this.#withoutResult().some((call) => this.#mayHaveRun(call, answers));
  }

  /**
   * The answers to calls that were cut off. These answers apply again if the agent repeats the same
   * call (A7).
   */
  reusableAnswers<A extends PastAnswer>(answers: readonly A[]): A[] {
    const cutOff = this.#withoutResult().filter((call) => !this.#redone.has(call));
    return answers.filter((each) =>
      cutOff.some((call) => isAbout(each, call) && isUsed(each, call)),
    );
  }

  safety(answers: readonly PastAnswer[]): RetrySafety {
    let wrote = this.#wrote || answers.some((answer) => this.#wroteEdited(answer));
    for (const call of this.#withoutResult()) {
      if (!this.#mayHaveRun(call, answers)) continue;
      const { tool } = call;
      // If a person edited the call, the edited input ran.
      const edited = answers.find((each) => isAbout(each, call) && each.editedInput !== null);
      const input = edited?.editedInput ?? call.input;
      const kind = edited === undefined ? call.kind : this.#kindOf({ tool, input });
      if (kind === 'unrepeatable') return { verdict: 'unsafe', tool, input };
      wrote ||= kind !== 'reading';
    }
    return { verdict: wrote ? 'repeat_after_diff' : 'repeat' };
  }

  #begin(event: PastEvent): void {
    const use = payloadOf('agent.tool_use', event);
    if (use === undefined) return;
    const { id, tool, input, truncated } = use;
    const { at } = event;
    // The effect of a truncated command is unknown.
    const isPartial = truncated === true && TOOLS.get(tool)?.subject === 'command';
    const kind = isPartial ? 'unrepeatable' : this.#kindOf({ tool, input });
    const until = Number.POSITIVE_INFINITY;
    this.#open.set(id, { id, tool, input, kind, at, until, allowed: false });
  }

  #finish(event: PastEvent): void {
    const result = payloadOf('agent.tool_result', event);
    const call = result === undefined ? undefined : this.#open.get(result.id);
    if (call === undefined) return;
    // The agent knows the result, so there is a conversation to continue.
    this.#ran = true;
    if (result?.cutOff === true) return;
    this.#open.delete(call.id);
    for (const each of this.#cutOff) if (isSameCall(each, call)) this.#redone.add(each);
    this.#wrote ||= call.kind !== 'reading';
  }

  #deny(event: PastEvent): void {
    const denied = payloadOf('policy.denied', event);
    if (denied !== undefined) this.#open.delete(denied.callId ?? '');
  }

  #allow(event: PastEvent): void {
    const allowed = payloadOf('policy.allowed', event);
    const call = allowed === undefined ? undefined : this.#open.get(allowed.callId);
    if (call !== undefined) this.#open.set(call.id, { ...call, allowed: true });
  }

  #cut(at: number): void {
    for (const call of this.#open.values()) this.#cutOff.push({ ...call, until: at });
    this.#open.clear();
  }

  #withoutResult(): PastCall[] {
    return [...this.#cutOff, ...this.#open.values()];
  }

  /**
   * Whether the call may have been allowed, and so may have run. If a call may run twice, the log
   * does not record that the rules allowed it. An agent emits several calls at once and asks about
   * them one by one.
   */
  #mayHaveRun(call: PastCall, answers: readonly PastAnswer[]): boolean {
    const about = answers.filter((answer) => isAbout(answer, call));
    if (about.some((each) => each.state === 'allowed' && isUsed(each, call))) return true;
    const isLogged = this.#asksAll && call.kind === 'unrepeatable';
    return call.allowed || (about.length === 0 && !isLogged);
  }

  #wroteEdited({ tool, editedInput, usedAt }: PastAnswer): boolean {
    if (usedAt === null || editedInput === null) return false;
    return this.#kindOf({ tool, input: editedInput }) !== 'reading';
  }
}

/**
 * Whether an approval covers a call. Attempts that repeat a call share one approval: it covers every
 * call that waited for its answer or received it.
 */
function isAbout(answer: PastAnswer, call: PastCall): boolean {
  if (answer.callId === call.id) return true;
  if (answer.createdAt > call.at || !isSameCall(answer, call)) return false;
  const wasOpen = answer.state === 'pending' || (answer.decidedAt ?? 0) >= call.at;
  return isUsed(answer, call) || wasOpen;
}

const isUsed = ({ usedAt }: PastAnswer, { at, until }: PastCall): boolean =>
  usedAt !== null && usedAt >= at && usedAt <= until;

type Call = Pick<PastCall, 'tool' | 'input'>;

const isSameCall = (a: Call, b: Call): boolean =>
  a.tool === b.tool && JSON.stringify(a.input) === JSON.stringify(b.input);
