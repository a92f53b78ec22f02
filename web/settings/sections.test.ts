import { expect, test } from 'vitest';
import { RIGHTS_OF } from '../../src/contract/access.ts';
import { isSection, sectionsFor } from './sections.ts';

test('[X2] sections depend on the user’s rights', () => {
  expect(sectionsFor(RIGHTS_OF.admin)).toHaveLength(6);
  expect(sectionsFor(RIGHTS_OF.operator)).toEqual(['profile', 'tokens']);
  expect(sectionsFor(RIGHTS_OF.viewer)).toEqual(['profile', 'tokens']);
  expect(sectionsFor(['read'])).toEqual(['profile']);
  expect(isSection('users')).toBe(true);
  expect(isSection('constructor')).toBe(false);
});
