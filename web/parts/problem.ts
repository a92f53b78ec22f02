import { BatonError, type ErrorCode } from '../../src/contract/errors.ts';
import type { Texts } from '../texts/en/all.ts';

/** A user-friendly error text; errors without one show the server's message. */
export function problemOf(error: unknown, t: Texts): string {
  if (!(error instanceof BatonError)) return String(error);
  const words: Partial<Record<ErrorCode, string>> = t.common.problems;
  return words[error.code] ?? error.message;
}

/** The field that an error is about, such as `name` or `allow.2`; null if there is none. */
export function fieldOf(error: unknown): string | null {
  const details = error instanceof BatonError ? error.details : null;
  if (typeof details !== 'object' || details === null || !('field' in details)) return null;
  return typeof details.field === 'string' ? details.field : null;
}
