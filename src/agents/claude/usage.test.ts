import { describe, expect, test } from 'vitest';
import type { ModelUsage, ResultLine } from './lines.ts';
import { StreamedTokens, usageAfter, usageOf } from './usage.ts';

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
const count = (
  version: string | null,
  results: ResultLine[],
  before?: ReturnType<typeof usageAfter>,
) => {
  const counted = { version, before, results, streamed: new StreamedTokens(), model: 'opus' };
  return { usage: usageOf(counted), after: usageAfter(counted) };
};

describe('[A5] what a turn cost', () => {
  test('is what new versions say came since the last result, over several of them', () => {
    const results = [
      result(models(600, 6), models(300, 3)),
      result(models(1000, 10), models(400, 4)),
    ];
    const { usage, after } = count('2.1.325', results);
    expect(usage).toMatchObject({ inputTokens: 700, costUsd: 7, model: 'opus', source: 'claude' });
    expect(after).toEqual({ version: '2.1.325', models: models(1000, 10) });
  });

  test('is the last total of a process in old versions, whatever was before', () => {
    const before = { version: '2.1.112', models: models(100, 1) };
    const results = [result(models(300, 3)), result(models(700, 7))];
    expect(count('2.1.112', results, before).usage).toMatchObject({ inputTokens: 700, costUsd: 7 });
    expect(count('2.1.197', results, before).usage).toMatchObject({ inputTokens: 700, costUsd: 7 });
  });

  test('is the difference where totals go on', () => {
    const before = { version: '2.1.250', models: models(100, 1) };
    const other = { ...models(700, 7), ...models(5, 0.5, 'haiku') };
    expect(count('2.1.250', [result(other)], before).usage).toMatchObject({
      inputTokens: 605,
      costUsd: 6.5,
      model: 'opus',
    });
  });

  test('is the total where a total fell, because counting began anew', () => {
    const before = { version: '2.1.250', models: models(900, 9) };
    expect(count('2.1.250', [result(models(700, 7))], before).usage?.costUsd).toBe(7);
    expect(count('2.1.250', [result(models(700, 7))], { nonsense: true }).usage?.costUsd).toBe(7);
  });

  test('without a result is what was seen of answers, at an unknown price', () => {
    const streamed = new StreamedTokens();
    streamed.see('message_start', {
      input_tokens: 10,
      cache_read_input_tokens: 7,
      output_tokens: 1,
    });
    streamed.see('message_delta', { output_tokens: 5 });
    streamed.see('message_start', { input_tokens: 20, output_tokens: 1 });
    const counted = { version: null, before: undefined, results: [], streamed, model: 'opus' };
    expect(usageOf(counted)).toEqual({
      inputTokens: 30,
      outputTokens: 6,
      cacheCreationTokens: 0,
      cacheReadTokens: 7,
      model: 'opus',
      costUsd: 0,
      source: 'claude-partial',
    });
    expect(usageAfter(counted)).toBeUndefined();
    expect(count(null, []).usage).toBeUndefined();
  });
});
