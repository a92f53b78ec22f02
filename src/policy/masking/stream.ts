import { heldRun } from './line-token.ts';
import type { MaskStream } from './masker.ts';
import {
  CONTEXT,
  firstVerdict,
  type Hit,
  maskOf,
  type Rest,
  type Rule,
  type Verdict,
} from './rule.ts';
import type { Cover } from './tool-call.ts';

/*
 * The usual packages that find secrets read whole texts. This one masks text while
 * it arrives, in linear time.
 */

/** The rules, indexed so that text where no rule can start is skipped quickly. */
export interface RuleBook {
  /**
   * Matches the start of any rule. The expression contains only literals, so matching takes linear
   * time.
   */
  readonly beginning: RegExp;
  readonly byFirst: ReadonlyMap<string, readonly Rule[]>;
  /** Every proper prefix of a start, in lower case. */
  readonly partial: ReadonlySet<string>;
  readonly longest: number;
}

export function ruleBook(rules: readonly Rule[]): RuleBook {
  const byFirst = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const first of new Set([
      rule.start[0]!,
      rule.anyCase ? rule.start[0]!.toUpperCase() : rule.start[0]!,
    ])) {
      byFirst.set(first, [...(byFirst.get(first) ?? []), rule]);
    }
  }
  const starts = rules.map(({ start }) => start.toLowerCase());
  return {
    beginning: new RegExp(rules.map(literal).join('|'), 'g'),
    byFirst,
    partial: new Set(
      starts.flatMap((start) => Array.from(start.slice(1), (_, i) => start.slice(0, i + 1))),
    ),
    longest: Math.max(...starts.map(({ length }) => length)),
  };
}

const literal = ({ start, anyCase }: Rule): string =>
  Array.from(start, (char) => {
    const both = char.toLowerCase() + char.toUpperCase();
    return anyCase && both[0] !== both[1] ? `[${both}]` : char.replace(/\W/, '\\$&');
  }).join('');

/** More characters than any `Rest` needs to examine at once. */
const STEP = 1024;

/**
 * Masks text that arrives in pieces. Only what may still be part of a secret is held back: a rule's
 * look-ahead, or a run of characters that may turn out to be a LINE token.
 */
export class ScanStream implements MaskStream {
  readonly #book: RuleBook;
  readonly #onHit: (mask: string) => void;
  readonly #cover: Cover | null;
  /** Text received but not yet decided on. */
  #text = '';
  /** Skips the rest of a secret whose mask has been emitted. */
  #rest: Rest | null = null;
  #parts: string[] = [];
  /** The end of the output; its first `#given` characters have been returned. */
  #tail = '';
  #given = 0;

  constructor(book: RuleBook, onHit: (mask: string) => void, cover: Cover | null = null) {
    this.#book = book;
    this.#onHit = onHit;
    this.#cover = cover;
  }

  /** Masks a complete text. */
  whole(text: string): string {
    this.#text = text;
    return this.end();
  }

  push(piece: string): string {
    this.#text += piece;
    this.#advance(false);
    return this.#give(heldRun(this.#tail));
  }

  end(): string {
    this.#advance(true);
    this.#rest = null;
    return this.#give(0);
  }

  #advance(final: boolean): void {
    const text = this.#text;
    const { beginning, byFirst } = this.#book;
    let at = 0;
    for (;;) {
      if (this.#rest !== null) {
        const skipped = this.#rest(text, at, final);
        at = skipped.at;
        if (!skipped.done) break;
        this.#rest = null;
      }
      beginning.lastIndex = at;
      const start = beginning.exec(text);
      const next = start?.index ?? text.length - (final ? 0 : this.#partial(text, at));
      this.#show(text.slice(at, next));
      at = next;
      if (start === null) break;
      const view = { text, at, final, before: this.#tail };
      const verdict = this.#limited(firstVerdict(byFirst.get(text[at]!) ?? [], view), text, at);
      if (verdict === 'more') break;
      if (verdict === null) {
        this.#show(text[at]!);
        at++;
      } else {
        this.#hide(verdict, text.slice(at, at + verdict.keep));
        at += verdict.end;
      }
    }
    this.#text = text.slice(at);
  }

  /** The hit, shortened to what a mask may cover; null if nothing is left. */
  #limited(verdict: Verdict, text: string, at: number): Verdict {
    const cover = this.#cover;
    if (cover === null || verdict === null || verdict === 'more') return verdict;
    const { rest, ...hit } = verdict;
    const from = at + hit.keep;
    if (!cover.mayBegin(text, from)) return null;
    const known = at + hit.end;
    let end = cover.end(text, from, known);
    // Works in steps, because the text may be much longer than the rest of the secret.
    for (let isOpen = rest !== undefined && end === known; isOpen; ) {
      const limit = cover.end(text, end, Math.min(text.length, end + STEP));
      const isLast = limit < end + STEP;
      const skipped = rest!(text.slice(0, limit), end, isLast);
      end = skipped.at;
      isOpen = !skipped.done && !isLast;
    }
    return end === from ? null : { ...hit, end: end - at };
  }

  /** How many characters at the end of the text could turn out to be the start of a rule. */
  #partial(text: string, from: number): number {
    const { partial, longest } = this.#book;
    const end = text.slice(Math.max(from, text.length - longest + 1)).toLowerCase();
    for (let i = 0; i < end.length; i++) if (partial.has(end.slice(i))) return end.length - i;
    return 0;
  }

  #hide({ mask, back = 0, rest }: Hit, kept: string): void {
    this.#tail = this.#tail.slice(0, this.#tail.length - back);
    // The text before a secret may contain another secret, such as a token used as the name in a
    // URL.
    const others = new ScanStream(this.#book, this.#onHit, this.#cover);
    this.#show(others.whole(kept) + maskOf(mask));
    this.#rest = rest ?? null;
    this.#onHit(mask);
  }

  #show(text: string): void {
    this.#tail += text;
    if (this.#tail.length < 4 * CONTEXT) return;
    const out = this.#tail.length - CONTEXT;
    this.#parts.push(this.#tail.slice(this.#given, Math.max(out, this.#given)));
    this.#tail = this.#tail.slice(out);
    this.#given = Math.max(0, this.#given - out);
  }

  /** Returns the output except for its last `held` characters. */
  #give(held: number): string {
    const end = Math.max(this.#given, this.#tail.length - held);
    this.#parts.push(this.#tail.slice(this.#given, end));
    this.#given = end;
    const given = this.#parts.join('');
    this.#parts = [];
    return given;
  }
}
