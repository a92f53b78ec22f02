import { expect, it } from 'vitest';
import { answersOf, NOTHING, toggle } from './answers.ts';

const option = (label: string) => ({ label, about: '' });
const question = (text: string, many: boolean) => ({
  question: text,
  header: '',
  many,
  options: [option('Red'), option('Blue')],
});

it('[A7] a single-choice question takes one option, a multiple-choice question several', () => {
  const one = toggle(toggle(NOTHING, 'Red', false), 'Blue', false);
  expect(one.labels).toEqual(['Blue']);
  expect(toggle(one, 'Blue', false).labels).toEqual([]);
  const many = toggle(toggle(NOTHING, 'Blue', true), 'Red', true);
  expect(answersOf([question('Which?', true)], [many])).toEqual({ 'Which?': 'Red, Blue' });
});

it('[A7] every question needs an answer; free text counts as one', () => {
  const both = [question('First?', false), question('Second?', false)];
  const words = { labels: [], words: ' Green ' };
  expect(answersOf(both, [words])).toBeNull();
  expect(answersOf(both, [words, { labels: ['Red'], words: '' }])).toEqual({
    'First?': 'Green',
    'Second?': 'Red',
  });
  expect(answersOf([], [])).toBeNull();
});
