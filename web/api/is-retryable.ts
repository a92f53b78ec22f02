import { isBatonError } from '../../src/contract/errors.ts';

/** Whether the same call may do better in a while. */
export const mayPass = (error: unknown): boolean =>
  isBatonError(error) &&
  error.code !== 'bad_answer' &&
  (error.status >= 500 || error.code === 'rate_limited');
