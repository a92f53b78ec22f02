import { expect, it } from 'vitest';
import { NO_DRAFT, withDraft, wordsOf } from './drafts.ts';

it('[A7] [C2] a draft is kept per question until it is empty', () => {
  const denying = withDraft({}, 'a', { mode: 'deny' });
  const both = withDraft(withDraft(denying, 'a', { reason: 'no' }), 'b', {
    picked: [{ labels: ['Red'], words: '' }],
  });
  expect(both).toEqual({
    a: { ...NO_DRAFT, mode: 'deny', reason: 'no' },
    b: { ...NO_DRAFT, picked: [{ labels: ['Red'], words: '' }] },
  });
  expect(withDraft(both, 'a', NO_DRAFT)).toEqual({ b: both['b'] });
});

it('[C2] an unsent answer is shown when the question was answered elsewhere', () => {
  expect(wordsOf(NO_DRAFT)).toEqual([]);
  expect(wordsOf({ ...NO_DRAFT, reason: ' not now ' })).toEqual(['not now']);
  expect(wordsOf({ ...NO_DRAFT, reason: ' not now ', isSent: true })).toEqual([]);
  expect(
    wordsOf({ ...NO_DRAFT, picked: [{ labels: ['Red', 'Blue'], words: 'and green' }] }),
  ).toEqual(['Red, Blue', 'and green']);
  expect(
    wordsOf({
      ...NO_DRAFT,
      fields: [
        { name: 'command', as: 'text', value: 'ls' },
        { name: 'force', as: 'flag', value: 'true' },
      ],
    }),
  ).toEqual(['ls']);
});
