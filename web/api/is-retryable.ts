import { isBatonError } from '../../src/contract/errors.ts';

/** Whether repeating the same call later may succeed. */
export const isRetryable = (error: unknown): boolean =>
  isBatonError(error) &&
  error.code !== 'bad_answer' &&
  (error.status >= 500 || error.code === 'rate_limited');
