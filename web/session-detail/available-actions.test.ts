import { expect, test } from 'vitest';
import type { Level } from '../../src/contract/level.ts';
import type { SessionStatus } from '../../src/contract/session.ts';
import { availableActions } from './available-actions.ts';

const session = {
  status: 'ACTIVE' as SessionStatus,
  level: 'own' as Level,
  held: false,
  unfinishedRuns: 0,
  archivedAt: null,
  labels: [] as string[],
};
const operator = { rights: ['read', 'run', 'account'] as const };
const actions = (more: Partial<typeof session> = {}) =>
  availableActions({ ...session, ...more }, { rights: [...operator.rights] });

test('[S1] [C2] only actions that the status allows are offered', () => {
  expect(actions()).toEqual(['hold', 'complete', 'fork', 'terminate', 'archive', 'delete']);
  expect(actions({ unfinishedRuns: 1 })).toEqual(['hold', 'fork', 'terminate', 'delete']);
  expect(actions({ held: true, unfinishedRuns: 2 })[0]).toBe('resume');
  expect(actions({ status: 'ERROR' })[0]).toBe('retry');
  expect(actions({ status: 'COMPLETED' })).toEqual([
    'reopen',
    'fork',
    'terminate',
    'archive',
    'delete',
  ]);
  expect(actions({ status: 'TERMINATED' })).toEqual(['reopen', 'fork', 'archive', 'delete']);
});

test('[S12] a protected session offers no deletion', () => {
  expect(actions({ labels: ['audit'] })).not.toContain('delete');
});

test('[X2] [X3] a viewer is offered nothing, and only the owner can delete', () => {
  expect(actions({ level: 'view' })).toEqual([]);
  expect(availableActions(session, { rights: ['read', 'account'] })).toEqual([]);
  expect(actions({ level: 'operate' })).toContain('terminate');
  expect(actions({ level: 'operate' })).not.toContain('delete');
});
