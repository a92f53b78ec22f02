import type { Approval } from '../../src/contract/approval.ts';

/* The inbox: waiting questions, and those answered while it is open. */

/**
 * All waiting questions; those already shown stay in place. If a card disappeared, the others would
 * move under a finger about to tap.
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

/** Grouped by session; groups and the questions within them are newest first. */
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
