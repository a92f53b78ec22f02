import { expect, test } from 'vitest';
import { badRule, inputFor, isEmpty, ruleAt, toList, toText, withEnforced } from './rules.ts';

test('[P1] rules are written one per line and read back unchanged', () => {
  const rules = ['Read', 'Bash(git push)', 'mcp__github'];
  expect(toList(` ${toText(rules)}\n\n`)).toEqual(rules);
});

test('[P1] the first invalid line is reported', () => {
  expect(badRule('Read\nBash(git push)')).toBeNull();
  expect(badRule('Read\n(git push)\nnope nope')).toBe('(git push)');
  expect(badRule('')).toBeNull();
});

test('[P1] a server error is mapped to its rule', () => {
  const rules = { allow: [], ask: [], deny: ['Read', 'Bash(()'] };
  expect(ruleAt(rules, 'deny.1')).toEqual({ list: 'deny', rule: 'Bash(()' });
  expect(ruleAt(rules, 'deny.7')).toBeNull();
  expect(ruleAt(rules, 'name')).toBeNull();
  expect(isEmpty(rules)).toBe(false);
  expect(isEmpty({ allow: [], ask: [], deny: [] })).toBe(true);
});

test('[P1] a line of the tester becomes the tool’s input', () => {
  expect(inputFor('Bash', 'git push')).toEqual({ input: { command: 'git push' } });
  expect(inputFor('Edit', '/etc/passwd')).toEqual({ input: { file_path: '/etc/passwd' } });
  expect(inputFor('mcp__github__create', '{"title":"x"}')).toEqual({ input: { title: 'x' } });
  expect(inputFor('mcp__github__create', '')).toEqual({});
  expect(inputFor('mcp__github__create', 'not json')).toBeNull();
});

test('[P1] only Ask and Deny rules stay enforced after an edit', () => {
  const rules = { allow: ['Read'], ask: ['Bash'], deny: ['Write', 'Bash'] };
  expect(withEnforced(rules, ['Bash', 'Read', 'gone'])).toEqual({ ...rules, enforced: ['Bash'] });
  expect(withEnforced(rules, undefined)).toEqual(rules);
});
