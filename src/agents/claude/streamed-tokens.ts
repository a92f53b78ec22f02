import type { Usage } from '../driver.ts';
import type { Tokens } from './lines.ts';
import { costOf, type PricedTokens } from './prices.ts';

interface Seen {
  readonly model: string | null;
  readonly tokens: PricedTokens;
}

const NOTHING: PricedTokens = { input: 0, output: 0, write5m: 0, write1h: 0, read: 0 };

/**
 * Counts and prices the tokens of responses as they stream, until a result reports the cost (A5). A
 * response may arrive in pieces, whole, or both; it is counted once, by its id.
 */
export class StreamedTokens {
  readonly #answers = new Map<string, Seen>();
  /** The response being streamed, per agent and subagent. */
  readonly #open = new Map<string | null, string>();

  begin(parent: string | null, answer: Answer): void {
    const { id, model = null, usage } = answer;
    this.#open.set(parent, id);
    this.#answers.set(id, { model, tokens: updated(NOTHING, usage) });
  }

  /** Later figures of a response replace earlier ones. */
  update(parent: string | null, usage: Tokens): void {
    const id = this.#open.get(parent) ?? '';
    const seen = this.#answers.get(id);
    if (seen) this.#answers.set(id, { ...seen, tokens: updated(seen.tokens, usage) });
  }

  /** A whole response or block; counts from its pieces are more accurate and take precedence. */
  whole({ id, model = null, usage }: Answer): void {
    if (!this.#answers.has(id)) this.#answers.set(id, { model, tokens: updated(NOTHING, usage) });
  }

  /** Forgets all counts, because a result has reported them. */
  clear(): void {
    this.#answers.clear();
    this.#open.clear();
  }

  usage(model: string | null): Usage | undefined {
    const costs = [...this.#answers.values()].map((seen) => ({
      ...seen,
      costUsd: costOf(seen.model ?? model, seen.tokens),
    }));
    const [dearest] = [...costs].sort((a, b) => b.costUsd - a.costUsd);
    if (dearest === undefined) return undefined;
    const sum = (count: (each: (typeof costs)[number]) => number): number =>
      costs.reduce((total, each) => total + count(each), 0);
    return {
      inputTokens: sum(({ tokens }) => tokens.input),
      outputTokens: sum(({ tokens }) => tokens.output),
      cacheCreationTokens: sum(({ tokens }) => tokens.write5m + tokens.write1h),
      cacheReadTokens: sum(({ tokens }) => tokens.read),
      model: dearest.model ?? model,
      costUsd: sum(({ costUsd }) => costUsd),
      source: 'estimated',
    };
  }
}

export interface Answer {
  readonly id: string;
  readonly model?: string | null | undefined;
  readonly usage?: Tokens | undefined;
}

function updated(known: PricedTokens, usage: Tokens = {}): PricedTokens {
  const written = usage.cache_creation_input_tokens;
  const write1h = usage.cache_creation?.ephemeral_1h_input_tokens ?? known.write1h;
  return {
    input: usage.input_tokens ?? known.input,
    output: usage.output_tokens ?? known.output,
    write1h,
    write5m: typeof written === 'number' ? Math.max(0, written - write1h) : known.write5m,
    read: usage.cache_read_input_tokens ?? known.read,
  };
}
