/*
 * Token prices, for an agent that was killed before it reported its cost (A5). List prices in USD
 * per million tokens, the same as in Claude Code 2.1.325; a reported cost replaces the estimate.
 */

export interface Price {
  readonly input: number;
  readonly output: number;
  /** The prices of cache writes that last five minutes and of those that last an hour. */
  readonly write5m: number;
  readonly write1h: number;
  readonly read: number;
}

export type PricedTokens = Readonly<Record<keyof Price, number>>;

const price = (
  input: number,
  output: number,
  write5m: number,
  write1h: number,
  read: number,
): Price => ({ input, output, write5m, write1h, read });

/** Keyed by part of the model's name; the longest match is used. */
export const PRICES: Readonly<Record<string, Price>> = {
  'claude-fable-5': price(10, 50, 12.5, 20, 1),
  'claude-fable-5-2': price(8, 40, 10, 16, 0.2),
  'claude-mythos-5': price(10, 50, 12.5, 20, 1),
  'claude-mythos-5-2': price(8, 40, 10, 16, 0.2),
  'claude-opus-4': price(15, 75, 18.75, 30, 1.5),
  'claude-opus-4-5': price(5, 25, 6.25, 10, 0.5),
  'claude-opus-4-6': price(5, 25, 6.25, 10, 0.5),
  'claude-opus-4-7': price(5, 25, 6.25, 10, 0.5),
  'claude-opus-4-8': price(5, 25, 6.25, 10, 0.5),
  'claude-opus-5': price(5, 25, 6.25, 10, 0.5),
  'claude-opus-5-5': price(4, 20, 5, 8, 0.2),
  'claude-sonnet-4': price(3, 15, 3.75, 6, 0.3),
  'claude-sonnet-5': price(2, 10, 2.5, 4, 0.2),
  'claude-sonnet-5-5': price(2, 10, 2.5, 4, 0.1),
  'claude-3-5-haiku': price(0.8, 4, 1, 1.6, 0.08),
  'claude-haiku-4-5': price(1, 5, 1.25, 2, 0.1),
  'claude-haiku-5-5': price(0.1, 0.5, 0.125, 0.2, 0.01),
};

/** For models not in the table: the highest price, so that a budget is not exceeded. */
export const DEFAULT_PRICE: Price = price(15, 75, 18.75, 30, 1.5);

const NAMES = Object.keys(PRICES).sort((a, b) => b.length - a.length);

export function priceOf(model: string | null): Price {
  const name = NAMES.find((each) => model?.includes(each));
  return (name === undefined ? undefined : PRICES[name]) ?? DEFAULT_PRICE;
}

export function costOf(model: string | null, tokens: PricedTokens): number {
  const each = priceOf(model);
  const keys = Object.keys(each) as (keyof Price)[];
  return keys.reduce((sum, key) => sum + tokens[key] * each[key], 0) / 1_000_000;
}
