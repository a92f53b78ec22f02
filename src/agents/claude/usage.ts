import { z } from 'zod';
import type { Json } from '../../contract/values/json.ts';
import type { Usage } from '../driver.ts';
import type { ModelUsage, ResultLine } from './lines.ts';
import type { StreamedTokens } from './streamed-tokens.ts';
import { compareVersions } from './version.ts';

/*
 * A turn's usage, as a difference (A5). Versions count differently: new ones report usage since the
 * last result; old ones start at zero with each process; those in between carry the conversation's
 * totals over with `--resume`, so the earlier total must be subtracted.
 */

/** The newest version known to start at zero. */
const STARTS_AT_ZERO = '2.1.197';

type Count = ModelUsage[string];

const Before = z.object({
  version: z.string().nullable(),
  conversation: z.string().nullish(),
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
  /** The version of Claude Code that counted the usage. */
  readonly version: string | null;
  readonly conversation: string | null;
  readonly before: Json | undefined;
  /** The results of one process, in order. */
  readonly results: readonly ResultLine[];
  /** Token usage from streamed responses that no result has reported yet. */
  readonly streamed: StreamedTokens;
  readonly model: string | null;
}

/**
 * Undefined if nothing is known. If some usage was not reported, it is estimated, and the sum
 * counts as an estimate.
 */
export function usageOf(counted: Counted): Usage | undefined {
  const seen = counted.streamed.usage(counted.model);
  if (counted.results.length === 0) return seen;
  const reported = reportOf(differences(counted), counted.model);
  return seen === undefined ? reported : added(reported, seen);
}

/**
 * Usage by the conversation's earlier processes that were killed, as far as the totals include it
 * (A5). A process stopped by SIGTERM has stored its count, which is in the next total but not in
 * the usage since the last result. If a process was killed outright, neither figure includes its
 * usage, so the estimate of that usage stands.
 */
export function earlierOf({ conversation, before, results }: Counted): Usage | undefined {
  const known = Before.safeParse(before);
  const total = results.findLast(({ modelUsage }) => modelUsage !== undefined)?.modelUsage;
  const since = sinceLast(results);
  if (!known.success || total === undefined || since === undefined) return undefined;
  if (conversation === null || known.data.conversation !== conversation) return undefined;
  if (!goesOn(known.data.models, total)) return undefined;
  const rest = minus(minus(total, known.data.models), since);
  const usage = reportOf(rest, null);
  return usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
}

function reportOf(models: ModelUsage, model: string | null): Usage {
  const sum = Object.values(models).reduce((a, b) => combine(a, b, (x, y) => x + y), NOTHING);
  const [main] = Object.entries(models).sort(([, a], [, b]) => b.costUSD - a.costUSD);
  return {
    inputTokens: sum.inputTokens,
    outputTokens: sum.outputTokens,
    cacheCreationTokens: sum.cacheCreationInputTokens,
    cacheReadTokens: sum.cacheReadInputTokens,
    model: main?.[0] ?? model,
    costUsd: sum.costUSD,
    source: 'claude',
  };
}

const added = (reported: Usage, seen: Usage): Usage => ({
  inputTokens: reported.inputTokens + seen.inputTokens,
  outputTokens: reported.outputTokens + seen.outputTokens,
  cacheCreationTokens: reported.cacheCreationTokens + seen.cacheCreationTokens,
  cacheReadTokens: reported.cacheReadTokens + seen.cacheReadTokens,
  model: reported.model,
  costUsd: reported.costUsd + seen.costUsd,
  source: seen.source,
});

/** For the next turn's `usageBefore`; undefined keeps the old value. */
export function usageAfter({ version, conversation, results }: Counted): Json | undefined {
  const models = results.findLast(({ modelUsage }) => modelUsage !== undefined)?.modelUsage;
  return models === undefined ? undefined : { version, conversation, models };
}

function differences({ version, before, results }: Counted): ModelUsage {
  const since = sinceLast(results);
  if (since !== undefined) return since;
  const total = results.findLast(({ modelUsage }) => modelUsage !== undefined)?.modelUsage ?? {};
  const old = version !== null && compareVersions(version, STARTS_AT_ZERO) <= 0;
  const known = Before.safeParse(before);
  if (old || !known.success || !goesOn(known.data.models, total)) return total;
  return minus(total, known.data.models);
}

/** The sum of what new versions report as usage since the last result. */
function sinceLast(results: readonly ResultLine[]): ModelUsage | undefined {
  const since = results.map((line) => line.model_usage_since_last_result);
  if (since.every((each) => each === undefined)) return undefined;
  const sums: ModelUsage = {};
  for (const [model, count] of since.flatMap((each) => Object.entries(each ?? {}))) {
    sums[model] = combine(sums[model] ?? NOTHING, count, (a, b) => a + b);
  }
  return sums;
}

const minus = (total: ModelUsage, part: ModelUsage): ModelUsage =>
  Object.fromEntries(
    Object.entries(total).map(([model, count]) => [
      model,
      combine(count, part[model] ?? NOTHING, (a, b) => a - b),
    ]),
  );

/**
 * Whether the totals continue from `before`. If any of them is lower, counting has started over.
 */
const goesOn = (before: ModelUsage, total: ModelUsage): boolean =>
  Object.entries(before).every(([model, count]) =>
    KEYS.every((key) => (total[model] ?? NOTHING)[key] >= count[key]),
  );
