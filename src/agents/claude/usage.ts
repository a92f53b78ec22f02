import { z } from 'zod';
import type { Json } from '../../contract/json.ts';
import type { Usage } from '../driver.ts';
import type { ModelUsage, ResultLine, Tokens } from './lines.ts';
import { compareVersions } from './version.ts';

/*
 * What a turn cost, by difference (A5). Versions count differently: new ones say what came since
 * the last result; old ones begin at nothing with each process; between them the totals of the
 * conversation go on with `--resume`, so that what was counted before must be taken off.
 */

/** The newest version that was seen to begin at nothing. */
const BEGINS_ANEW = '2.1.197';

type Count = ModelUsage[string];

const Before = z.object({
  version: z.string().nullable(),
  models: z.record(
    z.string(),
    z.object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadInputTokens: z.number(),
      cacheCreationInputTokens: z.number(),
      costUSD: z.number(),
    }),
  ),
});

const NOTHING: Count = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  costUSD: 0,
};
const KEYS = Object.keys(NOTHING) as (keyof Count)[];

const combine = (a: Count, b: Count, how: (a: number, b: number) => number): Count =>
  Object.fromEntries(KEYS.map((key) => [key, how(a[key], b[key])])) as unknown as Count;

export interface Counted {
  /** The version that counted. */
  readonly version: string | null;
  readonly before: Json | undefined;
  /** Of one process, in their order. */
  readonly results: readonly ResultLine[];
  /** What was seen of answers, for a process that ended without a result. */
  readonly streamed: StreamedTokens;
  readonly model: string | null;
}

/** Nothing if nothing is known. */
export function usageOf(counted: Counted): Usage | undefined {
  if (counted.results.length === 0) return counted.streamed.usage(counted.model);
  const models = differences(counted);
  const sum = Object.values(models).reduce((a, b) => combine(a, b, (x, y) => x + y), NOTHING);
  const [main] = Object.entries(models).sort(([, a], [, b]) => b.costUSD - a.costUSD);
  return {
    inputTokens: sum.inputTokens,
    outputTokens: sum.outputTokens,
    cacheCreationTokens: sum.cacheCreationInputTokens,
    cacheReadTokens: sum.cacheReadInputTokens,
    model: main?.[0] ?? counted.model,
    costUsd: sum.costUSD,
    source: 'claude',
  };
}

/** For the next turn's `usageBefore`; undefined leaves the old one. */
export function usageAfter({ version, results }: Counted): Json | undefined {
  const models = results.findLast(({ modelUsage }) => modelUsage !== undefined)?.modelUsage;
  return models === undefined ? undefined : { version, models };
}

function differences({ version, before, results }: Counted): ModelUsage {
  const since = results.map((line) => line.model_usage_since_last_result);
  if (since.some((each) => each !== undefined)) {
    const sums: ModelUsage = {};
    for (const [model, count] of since.flatMap((each) => Object.entries(each ?? {}))) {
      sums[model] = combine(sums[model] ?? NOTHING, count, (a, b) => a + b);
    }
    return sums;
  }
  const total = results.findLast(({ modelUsage }) => modelUsage !== undefined)?.modelUsage ?? {};
  const old = version !== null && compareVersions(version, BEGINS_ANEW) <= 0;
  const known = Before.safeParse(before);
  if (old || !known.success || !goesOn(known.data.models, total)) return total;
  const { models } = known.data;
  return Object.fromEntries(
    Object.entries(total).map(([model, count]) => [
      model,
      combine(count, models[model] ?? NOTHING, (a, b) => a - b),
    ]),
  );
}

/** Totals never fall; if one did, the counting began anew. */
const goesOn = (before: ModelUsage, total: ModelUsage): boolean =>
  Object.entries(before).every(([model, count]) =>
    KEYS.every((key) => (total[model] ?? NOTHING)[key] >= count[key]),
  );

/** Counts tokens as answers come. What they cost only a result tells. */
export class StreamedTokens {
  #done: Count = NOTHING;
  #open: Count = NOTHING;
  #any = false;

  /** The beginning of an answer, and what it adds later; later figures replace earlier ones. */
  see(event: string, tokens: Tokens | undefined): void {
    if (event === 'message_start') {
      this.#done = combine(this.#done, this.#open, (a, b) => a + b);
      this.#open = NOTHING;
    }
    if (tokens === undefined) return;
    this.#any = true;
    this.#open = {
      inputTokens: tokens.input_tokens ?? this.#open.inputTokens,
      outputTokens: tokens.output_tokens ?? this.#open.outputTokens,
      cacheReadInputTokens: tokens.cache_read_input_tokens ?? this.#open.cacheReadInputTokens,
      cacheCreationInputTokens:
        tokens.cache_creation_input_tokens ?? this.#open.cacheCreationInputTokens,
      costUSD: 0,
    };
  }

  usage(model: string | null): Usage | undefined {
    if (!this.#any) return undefined;
    const sum = combine(this.#done, this.#open, (a, b) => a + b);
    return {
      inputTokens: sum.inputTokens,
      outputTokens: sum.outputTokens,
      cacheCreationTokens: sum.cacheCreationInputTokens,
      cacheReadTokens: sum.cacheReadInputTokens,
      model,
      costUsd: 0,
      source: 'claude-partial',
    };
  }
}
