import { BatonError, type ErrorCode } from '../../src/contract/errors.ts';
import type { Texts } from '../texts/en/all.ts';

/** What went wrong, in words of people; what has no words of its own is said as the server said it. */
export function problemOf(error: unknown, t: Texts): string {
  if (!(error instanceof BatonError)) return String(error);
  const words: Partial<Record<ErrorCode, string>> = t.common.problems;
  return words[error.code] ?? error.message;
}

/** The field that an error is about, such as `name` or `allow.2`; null if it is about none. */
export function fieldOf(error: unknown): string | null {
  const details = error instanceof BatonError ? error.details : null;
  if (typeof details !== 'object' || details === null || !('field' in details)) return null;
  return typeof details.field === 'string' ? details.field : null;
}
