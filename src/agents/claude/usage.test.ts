import { describe, expect, test } from 'vitest';
import type { ModelUsage, ResultLine } from './lines.ts';
import { costOf, DEFAULT_PRICE, PRICES, priceOf } from './prices.ts';
import { StreamedTokens } from './streamed-tokens.ts';
import { type Counted, earlierOf, usageAfter, usageOf } from './usage.ts';

const models = (tokens: number, costUSD: number, name = 'opus'): ModelUsage => ({
  [name]: {
    inputTokens: tokens,
    outputTokens: 1,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    costUSD,
  },
});
const result = (modelUsage: ModelUsage, since?: ModelUsage): ResultLine => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  num_turns: 1,
  modelUsage,
  ...(since !== undefined && { model_usage_since_last_result: since }),
});
const countedOf = (given: Partial<Counted>): Counted => ({
  version: null,
  conversation: 'conv',
  before: undefined,
  results: [],
  streamed: new StreamedTokens(),
  model: 'opus',
  ...given,
});
const count = (
  version: string | null,
  results: ResultLine[],
  before?: ReturnType<typeof usageAfter>,
) => {
  const counted = countedOf({ version, before, results });
  return {
    usage: usageOf(counted),
    after: usageAfter(counted),
    earlier: earlierOf(counted),
  };
};

describe('[A5] what a turn cost', () => {
  test('is the sum of what new versions report for each result', () => {
    const results = [
      result(models(600, 6), models(300, 3)),
      result(models(1000, 10), models(400, 4)),
    ];
    const { usage, after } = count('2.1.325', results);
    expect(usage).toMatchObject({ inputTokens: 700, costUsd: 7, model: 'opus', source: 'claude' });
    expect(after).toEqual({
      version: '2.1.325',
      conversation: 'conv',
      models: models(1000, 10),
    });
  });

  test('is the last total of the process in old versions, whatever came before', () => {
    const before = { version: '2.1.112', models: models(100, 1) };
    const results = [result(models(300, 3)), result(models(700, 7))];
    expect(count('2.1.112', results, before).usage).toMatchObject({ inputTokens: 700, costUsd: 7 });
    expect(count('2.1.197', results, before).usage).toMatchObject({ inputTokens: 700, costUsd: 7 });
  });

  test('is the difference if the totals continue', () => {
    const before = { version: '2.1.250', models: models(100, 1) };
    const other = { ...models(700, 7), ...models(5, 0.5, 'haiku') };
    expect(count('2.1.250', [result(other)], before).usage).toMatchObject({
      inputTokens: 605,
      costUsd: 6.5,
      model: 'opus',
    });
  });

  test('is the total if it is lower than before, because counting started over', () => {
    const before = { version: '2.1.250', models: models(900, 9) };
    expect(count('2.1.250', [result(models(700, 7))], before).usage?.costUsd).toBe(7);
    expect(count('2.1.250', [result(models(700, 7))], { nonsense: true }).usage?.costUsd).toBe(7);
  });

  test('without a result is what was seen of answers, at list prices', () => {
    const streamed = new StreamedTokens();
    const model = 'claude-opus-4-8[1m]';
    const begun = { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 1 };
    streamed.begin(null, { id: 'one', model, usage: begun });
    streamed.update(null, { output_tokens: 5 });
    streamed.whole({ id: 'one', model, usage: begun });
    const written = { ephemeral_1h_input_tokens: 30 };
    streamed.begin(null, {
      id: 'two',
      model,
      usage: { input_tokens: 20, cache_creation_input_tokens: 70, cache_creation: written },
    });
    // Of a subagent, whole.
    const sub = { id: 'sub', model: 'claude-haiku-4-5', usage: { output_tokens: 100 } };
    streamed.whole(sub);
    const counted = countedOf({ streamed });
    const usage = usageOf(counted);
    expect(usage).toEqual({
      inputTokens: 30,
      outputTokens: 105,
      cacheCreationTokens: 70,
      cacheReadTokens: 7,
      model,
      costUsd: expect.closeTo(
        (30 * 5 + 5 * 25 + 40 * 6.25 + 30 * 10 + 7 * 0.5 + 100 * 5) / 1_000_000,
        12,
      ),
      source: 'estimated',
    });
    expect(usageAfter(counted)).toBeUndefined();
    expect(count(null, []).usage).toBeUndefined();

    // What a result did not report any more is added, and makes it an estimate.
    const results = [result(models(600, 6), models(300, 3))];
    expect(usageOf(countedOf({ streamed, results }))).toMatchObject({
      inputTokens: 330,
      costUsd: 3 + (usage?.costUsd ?? 0),
      source: 'estimated',
    });
    streamed.clear();
    expect(usageOf(countedOf({ streamed, results }))).toMatchObject({ source: 'claude' });
  });

  test('of earlier processes is what a total has more than was reported', () => {
    const before = { version: '2.1.325', conversation: 'conv', models: models(100, 1) };
    const total = [result(models(600, 6), models(200, 2))];
    expect(count('2.1.325', total, before)).toMatchObject({
      usage: { inputTokens: 200, costUsd: 2 },
      earlier: { inputTokens: 300, costUsd: 3, source: 'claude' },
    });
    const nothing = [result(models(300, 3), models(200, 2))];
    expect(count('2.1.325', nothing, before).earlier).toBeUndefined();
    // Of another conversation, such as the original of a fork, it says nothing.
    const other = { ...before, conversation: 'other' };
    expect(count('2.1.325', total, other).earlier).toBeUndefined();
    expect(count('2.1.197', [result(models(600, 6))], before).earlier).toBeUndefined();
  });
});

describe('[A5] list prices', () => {
  test('are found by any name of a model, and the highest counts for an unknown one', () => {
    const names = {
      'claude-opus-5-5': ['claude-opus-5-5', 'claude-opus-5-5[1m]'],
      'claude-opus-5': ['claude-opus-5', 'claude-opus-5-20260101'],
      'claude-opus-4-5': ['claude-opus-4-5-20251101', 'us.anthropic.claude-opus-4-5-20251101-v1:0'],
      'claude-opus-4': ['claude-opus-4-20250514', 'claude-opus-4-1-20250805'],
      'claude-sonnet-4': ['claude-sonnet-4-6', 'claude-sonnet-4-5-20250929'],
    };
    for (const [row, models] of Object.entries(names)) {
      for (const model of models) expect(priceOf(model), model).toBe(PRICES[row]);
    }
    for (const model of ['somebody-else-1', '<synthetic>', null]) {
      expect(priceOf(model)).toBe(DEFAULT_PRICE);
    }
    for (const each of Object.values(PRICES)) {
      for (const key of Object.keys(each) as (keyof typeof each)[]) {
        expect(DEFAULT_PRICE[key]).toBeGreaterThanOrEqual(each[key]);
      }
    }
    const million = { input: 1e6, output: 1e6, write5m: 1e6, write1h: 1e6, read: 1e6 };
    expect(costOf('claude-opus-5-5', million)).toBeCloseTo(4 + 20 + 5 + 8 + 0.2);
  });
});
