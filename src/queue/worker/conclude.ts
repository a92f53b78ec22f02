import type { Outcome } from '../../contract/outcome.ts';
import { verdictOf } from '../../policy/retry.ts';
import { type AbortReason, outcomeOf, type Returned } from '../handler-result.ts';

export interface Circumstances {
  /** The final outcome, if the handler committed it before cleaning up (Q10). */
  readonly committed: Outcome | null;
  /** Why the handler's signal was aborted, if it was. */
  readonly abort: AbortReason | null;
  /** The run has an open question. */
  readonly asking: boolean;
}

/**
 * Determines how an attempt ended from its handler's return value and the reason why its signal was
 * aborted.
 */
export function conclude(returned: Returned, { committed, abort, asking }: Circumstances): Outcome {
  if (committed !== null) return committed;
  const outcome = outcomeOf(returned);
  if (abort === null || finished(returned, outcome)) return outcome;
  if (abort.kind === 'cancelled') return { kind: 'cancelled' };
  switch (outcome.kind) {
    case 'parked':
    case 'left_waiting':
    case 'handed_back':
      return outcome;
    case 'failed':
      // A retryable failure was most likely caused by the abort.
      if (verdictOf(outcome.error.class) === 'fail') return outcome;
  }
  return asking ? { kind: 'left_waiting' } : { kind: 'handed_back', reason: abort.message };
}

/** A result is used even after the abort; returning nothing means that the handler gave up. */
const finished = (returned: Returned, outcome: Outcome): boolean =>
  outcome.kind === 'succeeded' && 'value' in returned && returned.value !== undefined;
