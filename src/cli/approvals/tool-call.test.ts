import { expect, test } from 'vitest';
import { parseToolCall } from './tool-call.ts';

test.each([
  ['Read', { tool: 'Read' }],
  ['Bash(git push)', { tool: 'Bash', input: { command: 'git push' } }],
  ['Bash(f() { (ls) })', { tool: 'Bash', input: { command: 'f() { (ls) }' } }],
  ['Write(src/a.ts)', { tool: 'Write', input: { file_path: 'src/a.ts' } }],
  ['Grep(src)', { tool: 'Grep', input: { path: 'src' } }],
  ['WebFetch(https://x.y/)', { tool: 'WebFetch', input: { url: 'https://x.y/' } }],
  ['mcp__box__put({"a": 1})', { tool: 'mcp__box__put', input: { a: 1 } }],
  ['Bash({"command": "ls"})', { tool: 'Bash', input: { command: 'ls' } }],
])('[C1] [P1] %s is a call', (text, call) => {
  expect(parseToolCall(text)).toEqual(call);
});

test.each(['', 'git push', 'Bash(ls', 'Bash({"command": )', 'mcp__box__put(a)', '(ls)'])(
  '[C1] %j is not a call, and the error shows how to write one',
  (text) => {
    expect(() => parseToolCall(text)).toThrow(/is not a valid tool call\..*mcp__box__put/s);
  },
);
