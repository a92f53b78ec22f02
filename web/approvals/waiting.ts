import type { Approval } from '../../src/contract/approval.ts';

/* Which waiting questions the current user can answer. */

export const mayAnswer = (rights: readonly string[], { level }: Pick<Approval, 'level'>): boolean =>
  rights.includes('run') && level !== 'view';

export interface Waiting {
  readonly count: number;
  /** There are more questions than were loaded. */
  readonly isMore: boolean;
}

export function waitingFor(
  rights: readonly string[],
  pending: { readonly items: readonly Approval[]; readonly nextCursor: string | null },
): Waiting {
  const count = pending.items.filter((each) => mayAnswer(rights, each)).length;
  return { count, isMore: count > 0 && pending.nextCursor !== null };
}
