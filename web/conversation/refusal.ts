import { BatonError } from '../../src/contract/errors.ts';
import type { Texts } from '../texts/en/all.ts';

/** Why the server did not do what was asked, in words. */
export function refusalOf(error: unknown, t: Texts): string {
  if (!(error instanceof BatonError)) return String(error);
  const refusals = t.conversation.refusals;
  return Object.hasOwn(refusals, error.code)
    ? refusals[error.code as keyof typeof refusals]
    : error.message;
}
