import { expect, it } from 'vitest';
import { EMPTY, formFieldOf, MORE_OPTIONS, parseForm } from './form.ts';

const filled = { ...EMPTY, message: 'Say hello.' };

it('[H1] a message and a name are enough', () => {
  expect(parseForm(filled, 'Say hello')).toMatchObject({
    request: {
      create: {
        name: 'Say hello',
        agent: { kind: 'claude' },
        workspace: { provider: 'directory' },
        idleTimeoutSeconds: 1800,
        budgetUsd: null,
        holdOnFailure: true,
      },
      message: 'Say hello.',
      rules: null,
    },
  });
});

it('[H1] every field is sent', () => {
  const form = {
    ...filled,
    kind: 'claude' as const,
    model: ' haiku ',
    path: ' /srv/app ',
    tags: 'web、urgent,',
    idleMinutes: '０',
    budget: '2.5',
    allow: 'Read\n\nBash(npm test)',
    deny: 'Bash(git push)',
  };
  expect(parseForm(form, 'All')).toMatchObject({
    request: {
      create: {
        tags: ['web', 'urgent'],
        agent: { kind: 'claude', model: 'haiku' },
        workspace: { path: '/srv/app' },
        idleTimeoutSeconds: 0,
        budgetUsd: 2.5,
      },
      rules: { allow: ['Read', 'Bash(npm test)'], ask: [], deny: ['Bash(git push)'] },
    },
  });
});

it('[H9] every mistake is reported at its field', () => {
  const form = {
    ...EMPTY,
    message: ' ',
    path: 'relative',
    tags: 'a/b',
    idleMinutes: 'soon',
    budget: '-1',
    ask: '((',
  };
  const parsed = parseForm(form, 'two\nlines');
  const wrong = 'wrong' in parsed ? [...parsed.wrong].sort() : [];
  expect(wrong).toEqual(['ask', 'budget', 'idleMinutes', 'message', 'name', 'path', 'tags']);
});

it('[H9] a field named by the server is mapped to the form', () => {
  expect(formFieldOf('workspace.path')).toBe('path');
  expect(formFieldOf('tags.0')).toBe('tags');
  expect(formFieldOf('deny.2')).toBe('deny');
  expect(formFieldOf('isolation')).toBeNull();
  expect(MORE_OPTIONS.has('name')).toBe(false);
});
