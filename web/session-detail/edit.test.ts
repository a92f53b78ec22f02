import { expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { formFieldOf, type SessionForm, toForm, toUpdate } from './edit.ts';

const session = {
  name: 'fix-login',
  description: '',
  tags: ['web'],
  labels: [],
  idleTimeoutSeconds: 1800,
  budgetUsd: null,
  holdOnFailure: true,
} as unknown as Session;
const change = (more: Partial<SessionForm>) => toUpdate({ ...toForm(session), ...more }, session);

test('[S9] only changed fields are sent', () => {
  expect(change({})).toEqual({ update: {} });
  expect(change({ name: ' fix-login ' })).toEqual({ update: {} });
  expect(change({ tags: 'web、急ぎ, web', budget: '５' })).toEqual({
    update: { tags: ['web', '急ぎ'], budgetUsd: 5 },
  });
  expect(change({ idleMinutes: '0', holdOnFailure: false })).toEqual({
    update: { idleTimeoutSeconds: 0, holdOnFailure: false },
  });
});

test('[S9] errors are shown at their fields', () => {
  const wrong = change({
    name: ' ',
    tags: 'a/b',
    idleMinutes: '',
    budget: 'much',
    description: 'x'.repeat(501),
  });
  expect(wrong).toEqual({
    wrong: new Set(['name', 'description', 'tags', 'idleMinutes', 'budget']),
  });
  expect(formFieldOf('tags.0')).toBe('tags');
  expect(formFieldOf('shares')).toBeNull();
});
