import { BatonError, type ErrorCode } from '../../src/contract/errors.ts';
import { problemOf } from '../parts/problem.ts';
import type { Texts } from '../texts/en/all.ts';

/** Why the server refused; worded specifically for conversations where possible. */
export function refusalOf(error: unknown, t: Texts): string {
  const words: Partial<Record<ErrorCode, string>> = t.conversation.refusals;
  return (error instanceof BatonError && words[error.code]) || problemOf(error, t);
}
