import type { Approval } from '../../src/contract/approval.ts';

/* The inbox: what waits, and what was answered while it is looked at. */

/**
 * What the page shows: all that waits, and in their places those that waited when it last looked.
 * A card that vanished would move the others under the finger that is about to tap.
 */
export function keepShown(
  shown: readonly Approval[],
  pending: readonly Approval[],
): readonly Approval[] {
  const now = new Map(pending.map((each) => [each.id, each]));
  const known = new Set(shown.map(({ id }) => id));
  const added = pending.filter(({ id }) => !known.has(id));
  if (added.length === 0 && shown.every((each) => (now.get(each.id) ?? each) === each))
    return shown;
  return [...added, ...shown.map((each) => now.get(each.id) ?? each)];
}

export interface Group {
  readonly sessionId: string;
  readonly approvals: readonly Approval[];
}

/** By session; newest first, also within. */
export function groupsOf(approvals: readonly Approval[]): Group[] {
  const groups = new Map<string, Approval[]>();
  const newest = [...approvals].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  for (const each of newest) {
    const group = groups.get(each.sessionId);
    if (group === undefined) groups.set(each.sessionId, [each]);
    else group.push(each);
  }
  return [...groups].map(([sessionId, all]) => ({ sessionId, approvals: all }));
}
