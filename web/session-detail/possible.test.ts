import { expect, test } from 'vitest';
import type { Level } from '../../src/contract/level.ts';
import type { SessionStatus } from '../../src/contract/session.ts';
import { possibleDeeds } from './possible.ts';

const session = {
  status: 'ACTIVE' as SessionStatus,
  level: 'own' as Level,
  held: false,
  unfinishedRuns: 0,
  archivedAt: null,
  labels: [] as string[],
};
const operator = { rights: ['read', 'run', 'account'] as const };
const deeds = (more: Partial<typeof session> = {}) =>
  possibleDeeds({ ...session, ...more }, { rights: [...operator.rights] });

test('[S1] [C2] only what the status allows is offered', () => {
  expect(deeds()).toEqual(['hold', 'complete', 'fork', 'terminate', 'archive', 'delete']);
  expect(deeds({ unfinishedRuns: 1 })).toEqual(['hold', 'fork', 'terminate', 'delete']);
  expect(deeds({ held: true, unfinishedRuns: 2 })[0]).toBe('resume');
  expect(deeds({ status: 'ERROR' })[0]).toBe('retry');
  expect(deeds({ status: 'COMPLETED' })).toEqual([
    'reopen',
    'fork',
    'terminate',
    'archive',
    'delete',
  ]);
  expect(deeds({ status: 'TERMINATED' })).toEqual(['reopen', 'fork', 'archive', 'delete']);
});

test('[S12] a protected session offers no deletion', () => {
  expect(deeds({ labels: ['audit'] })).not.toContain('delete');
});

test('[X2] [X3] who may only look is offered nothing, and only the owner a deletion', () => {
  expect(deeds({ level: 'view' })).toEqual([]);
  expect(possibleDeeds(session, { rights: ['read', 'account'] })).toEqual([]);
  expect(deeds({ level: 'operate' })).toContain('terminate');
  expect(deeds({ level: 'operate' })).not.toContain('delete');
});
