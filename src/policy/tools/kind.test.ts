import { expect, test } from 'vitest';
import { shellCall } from './call.ts';
import { kindOf } from './kind.ts';
import { UNREPEATABLE } from './tool-table.ts';

test.each([
  ['ls -l', 'reading'],
  ['git status', 'reading'],
  ['echo git push', 'reading'],
  ['npm test', 'writing'],
  ['git commit -m "git push"', 'writing'],
  ['ls | wc', 'writing'],
  ['rm -rf x', 'writing'],
  ['curl -s https://a.example', 'writing'],
  ['', 'writing'],
  ['git push', 'unrepeatable'],
  ['git -C x push origin', 'unrepeatable'],
  ['npm test && npm publish', 'unrepeatable'],
  ['sh -c "git push"', 'unrepeatable'],
  ['curl -sXPOST https://a.example', 'unrepeatable'],
  ['curl https://a.example --data-raw x', 'unrepeatable'],
  ['echo x | ssh host cat', 'unrepeatable'],
  ['gh pr create', 'unrepeatable'],
])('[Q16] Bash(%s) is %s', (command, kind) => {
  expect(kindOf(shellCall(command))).toBe(kind);
});

test.each([
  ['Read', 'reading'],
  ['Grep', 'reading'],
  ['Glob', 'reading'],
  ['WebFetch', 'reading'],
  ['Write', 'writing'],
  ['Edit', 'writing'],
  ['Task', 'writing'],
  ['mcp__git__log', 'unrepeatable'],
  ['SendMessage', 'unrepeatable'],
  ['toString', 'unrepeatable'],
])('[Q16] %s is %s', (tool, kind) => {
  expect(kindOf({ tool })).toBe(kind);
});

test.each(UNREPEATABLE)('[Q16] %s is not repeatable, even among other commands', (command) => {
  expect(kindOf(shellCall(command))).toBe('unrepeatable');
  expect(kindOf(shellCall(`cd x; ${command} y`))).toBe('unrepeatable');
});
