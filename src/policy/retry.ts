import { type Backoff, backoff, withJitter } from '../contract/functions/growing-wait.ts';
import type { ErrorClass } from '../contract/outcome.ts';

/** What happens to a run after an error. */
export type Verdict = 'retry' | 'fail' | 'park';

/** What happens after an error of each class: a retry only if another attempt can help. */
const VERDICTS: Record<ErrorClass, Verdict> = {
  timeout: 'retry',
  agent_crash: 'retry',
  network_error: 'retry',
  overloaded: 'retry',
  unknown: 'retry',
  invalid_tool: 'fail',
  permission_denied: 'fail',
  user_cancelled: 'fail',
  invalid_payload: 'fail',
  auth_failed: 'fail',
  invalid_request: 'fail',
  turn_limit: 'fail',
  agent_unavailable: 'fail',
  budget_reached: 'fail',
  conversation_lost: 'fail',
  interrupted_unsafe: 'fail',
  command_failed: 'fail',
  // The handler parks the run, because it knows the reset time; without a reset time, there is
  // nothing to wait for.
  usage_limit: 'park',
  poisoned: 'fail',
};

export const verdictOf = (errorClass: ErrorClass): Verdict => VERDICTS[errorClass];

export type RetryPolicy = Required<Pick<Backoff, 'firstMs' | 'factor' | 'capMs'>>;

export const RETRY_POLICY: RetryPolicy = { firstMs: 1000, factor: 2, capMs: 60_000 };

/** How many attempts a run gets before it is dead. */
export const MAX_ATTEMPTS = { agent: 3, other: 5 } as const;
export const maxAttemptsOf = (type: string): number =>
  type === 'agent' ? MAX_ATTEMPTS.agent : MAX_ATTEMPTS.other;

/** How many times a run may survive the death of its node. */
export const MAX_CRASHES = 3;

/**
 * The wait before the next attempt: 1 s, 2 s, 4 s … at most 60 s, plus a random 0…½ of that base, so
 * runs that failed together are not retried together.
 */
export function backoffMs(
  attempts: number,
  random: () => number,
  policy: RetryPolicy = RETRY_POLICY,
): number {
  return Math.round(withJitter(backoff(attempts, policy), random));
}
