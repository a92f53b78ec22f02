import type { Outcome } from '../../contract/outcome.ts';
import { verdictOf } from '../../policy/retry.ts';
import { type AbortReason, outcomeOf, type Returned } from '../handler-result.ts';

export interface Circumstances {
  /** A final outcome the handler stored before it cleaned up (Q10). */
  readonly committed: Outcome | null;
  /** Why the handler was told to stop, if it was. */
  readonly abort: AbortReason | null;
  /** Its question is open. */
  readonly asking: boolean;
}

/** How an attempt ended: what its handler gave back, seen together with why it was told to stop. */
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
      // What would be tried again anyway failed, most likely, because it was told to stop.
      if (verdictOf(outcome.error.class) === 'fail') return outcome;
  }
  return asking ? { kind: 'left_waiting' } : { kind: 'handed_back', reason: abort.message };
}

/** A result counts even if it came after the wish to stop; returning nothing means it gave up. */
const finished = (returned: Returned, outcome: Outcome): boolean =>
  outcome.kind === 'succeeded' && 'value' in returned && returned.value !== undefined;
