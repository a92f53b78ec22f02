import type { DriverEnd } from '../../agents/driver.ts';
import { fitJson } from '../../agents/fit.ts';
import type { Json } from '../../contract/values/json.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { verdictOf } from '../../policy/retry.ts';
import { fail, park } from '../../queue/handler-result.ts';

export interface Masking {
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  /** Whether a run waits until a usage limit is reset; if not, it fails. */
  readonly parkUsageLimit?: boolean;
}

/** The outcome, if no further attempt could change it; otherwise null. */
export function finalOf(end: DriverEnd, masking: Masking): { value: unknown } | null {
  const { outcome } = end;
  if (outcome.kind === 'succeeded') return { value: resultOf(outcome.result, masking) };
  if (outcome.kind === 'parked' && masking.parkUsageLimit === false) return outcomeOf(end, masking);
  if (outcome.kind !== 'failed' || verdictOf(outcome.error.class) === 'retry') return null;
  return { value: fail(outcome.error.class, masking.masker.mask(outcome.error.message)) };
}

/**
 * What the attempt's end means for the run; null if it was stopped, because the queue knows why.
 */
export function outcomeOf(end: DriverEnd, masking: Masking): { value: unknown } | null {
  const { outcome } = end;
  switch (outcome.kind) {
    case 'succeeded':
      return { value: resultOf(outcome.result, masking) };
    case 'failed':
      return { value: fail(outcome.error.class, masking.masker.mask(outcome.error.message)) };
    case 'parked':
      return { value: atLimit(outcome.until, masking.masker.mask(outcome.message), masking) };
    case 'stopped':
      return null;
  }
}

function atLimit(until: number, message: string, { parkUsageLimit = true }: Masking): unknown {
  if (parkUsageLimit) return park(until, message);
  return fail('usage_limit', `${message} (until ${new Date(until).toISOString()})`);
}

const resultOf = (given: Json, { maskJson }: Masking): Json => fitJson(maskJson(given)).value;
