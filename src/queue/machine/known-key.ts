import { BatonError } from '../../contract/errors.ts';

/** An idempotency key was used again with another body or kind of message; `runId` has the key. */
export const keyConflict = (runId: string): BatonError =>
  new BatonError('idempotency_conflict', undefined, { details: { runId } });

/** Checks the body of a request whose key the run `runId` already has (Q10), by the bodies' hashes. */
export function mustHaveSameBody(runId: string, first: string | null, again: string | null): void {
  if (first !== again) throw keyConflict(runId);
}
