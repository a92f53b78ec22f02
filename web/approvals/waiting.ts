import type { Approval } from '../../src/contract/approval.ts';

/* Which of the questions that wait are the person's to answer. */

export const mayAnswer = (rights: readonly string[], { level }: Pick<Approval, 'level'>): boolean =>
  rights.includes('run') && level !== 'view';

export interface Waiting {
  readonly count: number;
  /** There are more than were loaded. */
  readonly isMore: boolean;
}

export function waitingFor(
  rights: readonly string[],
  pending: { readonly items: readonly Approval[]; readonly nextCursor: string | null },
): Waiting {
  const count = pending.items.filter((each) => mayAnswer(rights, each)).length;
  return { count, isMore: count > 0 && pending.nextCursor !== null };
}
