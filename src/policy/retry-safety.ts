import type { LogEvent } from '../contract/event.ts';
import type { Json } from '../contract/json.ts';
import { SESSION_EVENTS } from '../contract/session-event.ts';
import { kindOf } from './tools/kind.ts';
import { TOOLS, type ToolKind } from './tools/tool-table.ts';

/*
 * What the earlier attempts of a run have done, and so whether it may be tried again (Q16). A call
 * is stored before it is answered, so one that is not in the log did not run; one without a result
 * may have run to its end, in part, or not at all.
 */

export type RetrySafety =
  /** Nothing was changed. */
  | { readonly verdict: 'repeat' }
  /** Something may have been: what is told before the agent goes on. */
  | { readonly verdict: 'repeat_after_diff' }
  /** It cannot be known whether this ran, and it must not run twice. */
  | { readonly verdict: 'unsafe'; readonly tool: string; readonly input: Json };

/** A question of the run, of which it matters when its answer was given to an agent. */
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

type KindOf = (call: { readonly tool: string; readonly input: Json }) => ToolKind;

interface PastCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly kind: ToolKind;
  readonly at: number;
  /** When the next attempt was begun: no answer that was given later was for this call. */
  readonly until: number;
  /** The log says that it was allowed by more than an answer to it. */
  readonly allowed: boolean;
}

/** Sees the log of a run event by event, and holds only the calls that have no result. */
export class PastCalls {
  readonly #kindOf: KindOf;
  readonly #asksAll: boolean;
  /** Of the attempt that is being read, by their ids. */
  readonly #open = new Map<string, PastCall>();
  /** Of attempts before it; a result that comes later is not theirs but an agent's guess. */
  readonly #cutOff: PastCall[] = [];
  /** Those that a later attempt made again and finished. */
  readonly #redone = new Set<PastCall>();
  #ran = false;
  #wrote = false;

  /** `asksAll`: no call is made unasked, so that each that was allowed stands in the log as such. */
  constructor(kind: KindOf = kindOf, asksAll = false) {
    this.#kindOf = kind;
    this.#asksAll = asksAll;
  }

  see({ type, payload, at }: Pick<LogEvent, 'type' | 'payload' | 'at'>): void {
    if (type === 'run.dequeued') this.#cut(at);
    else if (type === 'agent.tool_use') this.#begin(payload, at);
    else if (type === 'agent.tool_result') this.#finish(payload);
    else if (type === 'policy.denied') this.#deny(payload);
    else if (type === 'policy.allowed') this.#allow(payload);
  }

  /** Whether a call may have run; before that a conversation has nothing to lose (A3). */
  ran(answers: readonly PastAnswer[]): boolean {
    return this.#ran || this.#unknown().some((call) => this.#isGiven(call, answers));
  }

  /** Answers that were given to a call that was cut off: good for the same call, made again (A7). */
  reusableAnswers<A extends PastAnswer>(answers: readonly A[]): A[] {
    const cutOff = this.#unknown().filter((call) => !this.#redone.has(call));
    return answers.filter((each) =>
      cutOff.some((call) => isAbout(each, call) && isUsed(each, call)),
    );
  }

  safety(answers: readonly PastAnswer[]): RetrySafety {
    let wrote = this.#wrote || answers.some((answer) => this.#wroteEdited(answer));
    for (const call of this.#unknown()) {
      if (!this.#isGiven(call, answers)) continue;
      const { tool } = call;
      // What a person made of it is what ran.
      const edited = answers.find((each) => isAbout(each, call) && each.editedInput !== null);
      const input = edited?.editedInput ?? call.input;
      const kind = edited === undefined ? call.kind : this.#kindOf({ tool, input });
      if (kind === 'unrepeatable') return { verdict: 'unsafe', tool, input };
      wrote ||= kind !== 'reading';
    }
    return { verdict: wrote ? 'repeat_after_diff' : 'repeat' };
  }

  #begin(payload: Json, at: number): void {
    const parsed = SESSION_EVENTS['agent.tool_use'].safeParse(payload);
    if (!parsed.success) return;
    const { id, tool, input, truncated } = parsed.data;
    // Of half a command nobody knows what it does.
    const half = truncated === true && TOOLS.get(tool)?.subject === 'command';
    const kind = half ? 'unrepeatable' : this.#kindOf({ tool, input });
    const until = Number.POSITIVE_INFINITY;
    this.#open.set(id, { id, tool, input, kind, at, until, allowed: false });
  }

  #finish(payload: Json): void {
    const parsed = SESSION_EVENTS['agent.tool_result'].safeParse(payload);
    const call = parsed.success ? this.#open.get(parsed.data.id) : undefined;
    if (call === undefined) return;
    // The agent knows of it, so that there is a conversation to go on with.
    this.#ran = true;
    if (parsed.data?.cutOff === true) return;
    this.#open.delete(call.id);
    for (const each of this.#cutOff) if (isSameCall(each, call)) this.#redone.add(each);
    this.#wrote ||= call.kind !== 'reading';
  }

  #deny(payload: Json): void {
    const parsed = SESSION_EVENTS['policy.denied'].safeParse(payload);
    if (parsed.success) this.#open.delete(parsed.data.callId ?? '');
  }

  #allow(payload: Json): void {
    const parsed = SESSION_EVENTS['policy.allowed'].safeParse(payload);
    const call = parsed.success ? this.#open.get(parsed.data.callId) : undefined;
    if (call !== undefined) this.#open.set(call.id, { ...call, allowed: true });
  }

  #cut(at: number): void {
    for (const call of this.#open.values()) this.#cutOff.push({ ...call, until: at });
    this.#open.clear();
  }

  #unknown(): PastCall[] {
    return [...this.#cutOff, ...this.#open.values()];
  }

  /**
   * Whether the agent may have been told yes. Of calls that may run twice it is not noted that the
   * rules allowed them. An agent tells several calls at once and asks about them one by one.
   */
  #isGiven(call: PastCall, answers: readonly PastAnswer[]): boolean {
    const about = answers.filter((answer) => isAbout(answer, call));
    if (about.some((each) => each.state === 'allowed' && isUsed(each, call))) return true;
    const noted = this.#asksAll && call.kind === 'unrepeatable';
    return call.allowed || (about.length === 0 && !noted);
  }

  #wroteEdited({ tool, editedInput, usedAt }: PastAnswer): boolean {
    if (usedAt === null || editedInput === null) return false;
    return this.#kindOf({ tool, input: editedInput }) !== 'reading';
  }
}

/**
 * A question is asked once for the same call of several attempts: it is about each of them that had
 * to wait for its answer, or got it.
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
