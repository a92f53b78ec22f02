import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../contract/values/json.ts';
import { shellCall } from './call.ts';
import { decide } from './decide.ts';
import { ruleFor } from './rule-for.ts';
import { plainWords } from './words/plain-words.ts';

const at = { cwd: '/srv/app', home: '/home/me' };

test.each<[string, Json, string | null]>([
  ['Bash', { command: ' npm install ' }, 'Bash(npm install)'],
  ['Bash', { command: 'git commit -m "a b"' }, 'Bash(git commit -m "a b")'],
  ['Bash', { command: 'a | b' }, null],
  ['Bash', { command: 'safe' }, null],
  ['Bash', { command: 'grep "*" a' }, null],
  ['Bash', {}, null],
  ['Write', { file_path: 'src/../a.ts' }, 'Write(//srv/app/a.ts)'],
  ['Read', { file_path: '/a/[id].ts' }, null],
  ['Read', { file_path: '/a/?.ts' }, null],
  ['Read', {}, null],
  ['Grep', { pattern: 'x' }, 'Grep(//srv/app)'],
  ['WebFetch', { url: 'https://Example.com/a' }, 'WebFetch(domain:example.com)'],
  ['WebFetch', { url: 'x' }, null],
  ['WebFetch', { url: `http://${'A*'.repeat(10_000)}` }, null],
  ['Task', { subagent_type: 'Explore' }, 'Task(Explore)'],
  ['mcp__git__log', {}, 'mcp__git__log'],
  ['WebSearch', { query: 'x' }, 'WebSearch'],
  ['ExitPlanMode', {}, null],
  ['*', {}, null],
  ['no such (tool', {}, null],
])('[A7] the rule for %s %j is %s', (tool, input, rule) => {
  const call = { ...at, tool, input };
  expect(ruleFor(call)).toBe(rule);
  if (rule === null) return;
  const session = { allow: [rule], ask: [], deny: [] };
  expect(decide(call, { channel: 'line', session }).decision).toBe('allow');
});

test('[A7] the rule for one command allows no other', () => {
  const words = 'git push pushx -f -rf safe read-only :* a "a" \'b c\' b c'.split(' ');
  const command = fc
    .array(fc.constantFrom(...words, "'a b'", '":"'), { minLength: 1, maxLength: 3 })
    .map((all) => all.join(' '));
  fc.assert(
    fc.property(command, command, (one, other) => {
      const rule = ruleFor(shellCall(one, at));
      if (rule === null) return;
      const session = { allow: [rule], ask: [], deny: [] };
      const { scope } = decide(shellCall(other, at), { channel: 'web', session });
      const same =
        JSON.stringify(plainWords(one).words) === JSON.stringify(plainWords(other).words);
      expect(scope === 'session').toBe(same);
    }),
    { numRuns: 1000 },
  );
});
