import { expect, it } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import { groupsOf, keepShown } from './groups.ts';

const approval = (id: string, sessionId = 's', second = 0): Approval => ({
  id,
  sessionId,
  level: 'own',
  runId: 'r',
  attempt: 1,
  kind: 'tool',
  tool: 'Bash',
  input: { command: id },
  masked: false,
  reason: '',
  state: 'pending',
  scope: null,
  sessionRule: null,
  message: null,
  editedInput: null,
  decidedBy: null,
  createdAt: new Date(second * 1000).toISOString(),
  decidedAt: null,
});

it('[C2] answered questions stay where they are, new ones appear above', () => {
  const [a, b, c] = [approval('a'), approval('b'), approval('c')];
  const first = keepShown([], [a, b]);
  expect(first).toEqual([a, b]);
  expect(keepShown(first, [c, b]).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  expect(keepShown(first, [a, b])).toBe(first);
  expect(keepShown(first, [])).toBe(first);
});

it('[C2] questions are grouped by session, newest first', () => {
  const all = [approval('a', 's', 1), approval('b', 't', 2), approval('c', 's', 3)];
  expect(groupsOf(all).map((g) => [g.sessionId, g.approvals.map(({ id }) => id)])).toEqual([
    ['s', ['c', 'a']],
    ['t', ['b']],
  ]);
});
