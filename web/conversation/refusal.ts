import { BatonError, type ErrorCode } from '../../src/contract/errors.ts';
import { problemOf } from '../parts/problem.ts';
import type { Texts } from '../texts/en/all.ts';

/** Why the server did not do what was asked, in the words of a conversation where it has some. */
export function refusalOf(error: unknown, t: Texts): string {
  const words: Partial<Record<ErrorCode, string>> = t.conversation.refusals;
  return (error instanceof BatonError && words[error.code]) || problemOf(error, t);
}
