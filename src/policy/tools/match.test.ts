import { describe, expect, test } from 'vitest';
import type { Json } from '../../contract/values/json.ts';
import { parseCall, shellCall } from './call.ts';
import { allows, stops } from './match.ts';
import { parseRule, printRule } from './rule.ts';

const at = { cwd: '/srv/app', home: '/home/me' };
const parsed = (tool: string, input: Json = {}) => parseCall({ ...at, tool, input });

describe('[P1] rules', () => {
  test.each([
    ['Read', { tool: 'Read', specifier: null }],
    ['*', { tool: '*', specifier: null }],
    ['mcp__git__*', { tool: 'mcp__git__*', specifier: null }],
    ['Bash(*)', { tool: 'Bash', specifier: null }],
    ['Bash(:*)', { tool: 'Bash', specifier: null }],
    ['Bash( git push )', { tool: 'Bash', specifier: 'git push' }],
    ['Bash(echo (a))', { tool: 'Bash', specifier: 'echo (a)' }],
    ['*(x)', null],
    ['Bash()', null],
    ['Bash( )', null],
    ['Bash(a', null],
    ['Bash(a)b', null],
    ['', null],
    ['1', null],
    ['Bash(a\nb)', null],
  ])('%j', (text, rule) => {
    expect(parseRule(text)).toEqual(rule);
    if (rule) expect(parseRule(printRule(rule))).toEqual(rule);
  });
});

describe('[P1] Bash', () => {
  test.each([
    // specifier, command, as an allow rule, as a deny or ask rule
    ['git push', 'git push', 'yes', 'yes'],
    ['git push', 'git push origin main', 'no', 'yes'],
    ['git push', 'git pushx', 'no', 'no'],
    ['git push', 'git', 'no', 'no'],
    ['git push', '"git push"', 'no', 'no'],
    ['git push:*', 'git push', 'yes', 'yes'],
    ['git push:*', 'git push origin', 'yes', 'yes'],
    ['git push:*', 'git pushx', 'no', 'no'],
    ['git push *', 'git push origin', 'yes', 'yes'],
    ['git:*', 'git', 'yes', 'yes'],
    ['git:*', 'gitk', 'no', 'no'],
    ['git*', 'gitk', 'yes', 'yes'],
    ['git * main', 'git push origin main', 'yes', 'yes'],
    ['git * main', 'git push origin main x', 'no', 'yes'],
    ['* --version', 'node --version', 'yes', 'yes'],
    ['npm run *:fix', 'npm run lint:fix', 'yes', 'yes'],
    ['npm test', '/usr/bin/npm test', 'no', 'yes'],
    ['npm test', 'npm test | cat', 'maybe', 'yes'],
    ['npm test', 'ls | cat', 'maybe', 'maybe'],
    ['npm t*t', 'ls; npm test', 'maybe', 'yes'],
    ['ls | wc', 'ls | wc', 'maybe', 'yes'],
    ['ls | wc', 'ls', 'no', 'no'],
    ['curl -X POST', 'curl https://a.example -X POST', 'no', 'yes'],
    ['git push --force', 'git push origin -f', 'no', 'yes'],
    ['git push --force', 'git push origin', 'no', 'no'],
    ['git push -f', 'git push --force-with-lease', 'no', 'no'],
    ['find -delete', 'find . -delete', 'no', 'yes'],
    ['find -delete', 'find . -type f -depth -ls', 'no', 'no'],
    ['rm -rf', 'rm -- -rf', 'no', 'no'],
    ['git push --force', 'git push -o -- --force origin', 'no', 'yes'],
    ['git commit -m "a b"', "git commit -m 'a b'", 'yes', 'yes'],
    ['git commit -m "a b"', 'git commit -m a b', 'no', 'no'],
    ['read-only', 'ls -l', 'yes', 'yes'],
    ['read-only', 'npm test', 'no', 'no'],
    ['read-only', 'ls; ls', 'maybe', 'maybe'],
    ['safe', 'npm test', 'yes', 'yes'],
    ['safe', 'ls', 'yes', 'yes'],
  ])('Bash(%s) and %s', (specifier, command, allowing, stopping) => {
    const call = parseCall(shellCall(command, at));
    expect(allows(`Bash(${specifier})`, call)).toBe(allowing);
    expect(stops(`Bash(${specifier})`, call)).toBe(stopping);
  });

  test('a rule for the whole tool matches every command', () => {
    for (const rule of ['Bash', 'Bash(*)', '*']) {
      expect(allows(rule, parsed('Bash', { command: 'a | b' }))).toBe('yes');
      expect(stops(rule, parsed('Bash', { command: 'a | b' }))).toBe('yes');
      expect(stops(rule, parsed('Monitor', { command: 'a' }))).toBe('yes');
    }
  });
});

test('[P1] Monitor of a URL is judged as WebFetch', () => {
  const ws = { url: 'wss://feed.example.com/x' };
  const listen = parsed('Monitor', { ws });
  expect(stops('WebFetch', listen)).toBe('yes');
  expect(stops('WebFetch(domain:example.com)', listen)).toBe('yes');
  expect(stops('WebFetch(domain:other.example)', listen)).toBe('no');
  expect(stops('WebFetch(domain:example.com)', parsed('Monitor', { ws: {} }))).toBe('maybe');
  expect(allows('WebFetch(domain:feed.example.com)', listen)).toBe('yes');
  expect(allows('Bash', listen)).toBe('no');
  // A command next to the URL is judged as well, and does not count as plain.
  const both = parsed('Monitor', { ws, command: 'rm -rf x' });
  expect(stops('Bash(rm -rf)', both)).toBe('yes');
  expect(allows('WebFetch', both)).toBe('no');
  expect(allows('Bash(safe)', parsed('Monitor', { ws, command: 'ls' }))).toBe('maybe');
});

describe('[P1] files', () => {
  test.each([
    ['./src/**', 'src/a/b.ts', 'yes'],
    ['./src/**', '/srv/app/src/a', 'yes'],
    ['./src/**', 'src/../secret', 'no'],
    ['./src/**', '/srv/app/src/../../../etc/passwd', 'no'],
    ['./src/**', './other/../src/x', 'yes'],
    ['/src/**', 'src/a', 'yes'],
    ['src/**', 'src/a', 'yes'],
    ['src', 'src/a/b', 'yes'],
    ['src/', 'deep/src/a', 'yes'],
    ['src/*.ts', 'src/a.ts', 'yes'],
    ['src/*.ts', 'src/a/b.ts', 'no'],
    ['src/**/*.ts', 'src/b.ts', 'yes'],
    ['src/**/*.ts', 'src/a/b/c.ts', 'yes'],
    ['src/**/*.ts', 'src/a/b/c.js', 'no'],
    ['src/?.ts', 'src/a.ts', 'yes'],
    ['src/?.ts', 'src/ab.ts', 'no'],
    ['*.env', 'a/b/x.env', 'yes'],
    ['.env', 'a/.env', 'yes'],
    ['.env', '/elsewhere/.env', 'no'],
    ['//etc/**', '/etc/passwd', 'yes'],
    ['//etc/**', 'etc/passwd', 'no'],
    ['//etc/**', '../../etc/passwd', 'yes'],
    ['~/.ssh/**', '/home/me/.ssh/id', 'yes'],
    ['~/.ssh/**', '~/.ssh/id', 'yes'],
    ['../lib/*', '/srv/lib/a', 'yes'],
    ['**', 'a/b', 'yes'],
    ['**', '/elsewhere', 'no'],
    ['//**', '/elsewhere', 'yes'],
  ])('Read(%s) and %s', (specifier, path, match) => {
    const call = parsed('Read', { file_path: path });
    expect(allows(`Read(${specifier})`, call)).toBe(match);
    expect(stops(`Read(${specifier})`, call)).toBe(match);
    expect(stops(`Edit(${specifier})`, call)).toBe('no');
  });

  test('deny and ask rules ignore case', () => {
    const call = parsed('Read', { file_path: '.ENV' });
    expect([allows('Read(.env)', call), stops('Read(.env)', call)]).toEqual(['no', 'yes']);
  });

  test('a wildcard in the name of a workspace is literal', () => {
    const read = (path: string) =>
      parseCall({ tool: 'Read', input: { file_path: path }, cwd: '/w/*' });
    expect(allows('Read(./**)', read('/w/*/a'))).toBe('yes');
    expect(allows('Read(./**)', read('/w/b/a'))).toBe('no');
  });

  test('a path that cannot be resolved, or a rule that cannot be parsed, allows nothing and may match', () => {
    const nowhere = parseCall({ tool: 'Read', input: { file_path: 'a' } });
    const strange = parsed('Read', { file_path: 'a' });
    expect([allows('Read(./a)', nowhere), stops('Read(./a)', nowhere)]).toEqual(['no', 'maybe']);
    expect([allows('Read([ab])', strange), stops('Read([ab])', strange)]).toEqual(['no', 'maybe']);
    expect(stops('Read(./a)', parsed('Read', {}))).toBe('maybe');
  });

  test('[P1] matching is bounded: paths and rules that would take long are not compared', () => {
    const long = parsed('Read', { file_path: 'a/'.repeat(2100) });
    expect([allows('Read(**)', long), stops('Read(./b)', long)]).toEqual(['no', 'maybe']);
    const folded = parsed('Read', { file_path: `${'a/../'.repeat(2000)}b` });
    expect([allows('Read(./b)', folded), stops('Read(./b)', folded)]).toEqual(['yes', 'yes']);
    const call = parsed('Read', { file_path: 'a' });
    const rule = (depths: number) => `Read(${'**/'.repeat(depths)}a)`;
    expect([allows(rule(8), call), stops(rule(8), call)]).toEqual(['yes', 'yes']);
    expect([allows(rule(9), call), stops(rule(9), call)]).toEqual(['no', 'maybe']);
  });

  test('Edit matches all tools that change files, Read all that read them', () => {
    for (const tool of ['Edit', 'Write', 'MultiEdit']) {
      expect(allows('Edit(./a)', parsed(tool, { file_path: 'a' }))).toBe('yes');
    }
    expect(allows('Write(./a)', parsed('Edit', { file_path: 'a' }))).toBe('no');
    expect(allows('Edit(./a)', parsed('NotebookEdit', { notebook_path: 'a' }))).toBe('yes');
    expect(allows('Read(./src/**)', parsed('Grep', { pattern: 'x', path: 'src' }))).toBe('yes');
    expect(allows('Read(./src/*.ts)', parsed('Grep', { pattern: 'x', path: 'src' }))).toBe('no');
    expect(allows('Read(./src/**)', parsed('Grep', { pattern: 'x' }))).toBe('no');
    expect(allows('Read(**)', parsed('Grep', { pattern: 'x' }))).toBe('yes');
    expect(allows('Read(./src/**)', parsed('Glob', { pattern: 'src/**/*.ts' }))).toBe('yes');
    expect(allows('Read(**)', parsed('Glob', { pattern: '/etc/*' }))).toBe('no');
    expect(allows('Read(**)', parsed('Glob', { pattern: '../*' }))).toBe('no');
    expect(allows('Read(**)', parsed('Glob', { pattern: '*/../../x' }))).toBe('no');
  });

  test('a search that may reach a denied file is uncertain', () => {
    expect(stops('Read(./secret/**)', parsed('Grep', { path: 'secret' }))).toBe('yes');
    expect(stops('Read(./secret/**)', parsed('Grep', { path: 'secret/deep' }))).toBe('yes');
    expect(stops('Read(./secret/**)', parsed('Grep', {}))).toBe('maybe');
    expect(stops('Read(./secret/**)', parsed('Glob', { pattern: '/**' }))).toBe('maybe');
    expect(stops('Read(./secret/**)', parsed('Grep', { path: 'src' }))).toBe('no');
  });

  test('a command that names a denied file matches', () => {
    const bash = (command: string) => parsed('Bash', { command });
    expect(stops('Read(.env)', bash('cat .env'))).toBe('yes');
    expect(stops('Read(.env)', bash('cat a/../.env'))).toBe('yes');
    expect(stops('Read(.env)', bash('cat < .env | sort'))).toBe('yes');
    expect(stops('Read(.env)', bash('node --env-file=.env'))).toBe('yes');
    expect(stops('Read(.env)', bash('cat readme'))).toBe('no');
    expect(stops('Edit(./lock)', bash('cat lock'))).toBe('no');
    expect(stops('Edit(./lock)', bash('tee lock'))).toBe('maybe');
    expect(allows('Read(.env)', bash('cat .env'))).toBe('no');
  });

  test('a command with thousands of words has too many names to compare, so it is uncertain', () => {
    const words = Array.from({ length: 3000 }, (_, i) => `w${i}`).join(' ');
    const call = parsed('Bash', { command: `cat ${words} .env` });
    expect([stops('Read(.env)', call), stops('Read(.other)', call)]).toEqual(['maybe', 'maybe']);
    expect([stops('Read', call), stops('Edit(.env)', call)]).toEqual(['no', 'no']);
  });
});

describe('[P1] other tools', () => {
  test.each([
    ['domain:example.com', 'https://example.com/a', 'yes', 'yes'],
    ['domain:example.com', 'https://EXAMPLE.com./a', 'yes', 'yes'],
    ['domain:example.com', 'https://www.example.com', 'no', 'yes'],
    ['domain:*.example.com', 'https://www.example.com', 'yes', 'yes'],
    ['domain:example.com', 'https://badexample.com', 'no', 'no'],
    ['domain:example.com', 'https://example.com@evil.example', 'no', 'no'],
    ['domain:example.com', 'not a url', 'no', 'maybe'],
    ['example.com', 'https://example.com', 'no', 'maybe'],
    ['domain:example.com', `http://${'A*'.repeat(10_000)}`, 'no', 'maybe'],
  ])('WebFetch(%s) and %s', (specifier, url, allowing, stopping) => {
    const call = parsed('WebFetch', { url });
    expect(allows(`WebFetch(${specifier})`, call)).toBe(allowing);
    expect(stops(`WebFetch(${specifier})`, call)).toBe(stopping);
  });

  test.each([
    ['mcp__git', 'mcp__git__push', 'yes'],
    ['mcp__git__push', 'mcp__git__push', 'yes'],
    ['mcp__git__*', 'mcp__git__push', 'yes'],
    ['mcp__git__p*', 'mcp__git__push', 'yes'],
    ['mcp__git', 'mcp__github__push', 'no'],
    ['mcp__git__pu', 'mcp__git__push', 'no'],
    ['Re', 'Read', 'no'],
    ['read', 'Read', 'no'],
    ['*', 'Anything', 'yes'],
  ])('%s and %s', (rule, tool, match) => {
    expect(allows(rule, parsed(tool))).toBe(match);
    expect(stops(rule, parsed(tool))).toBe(match);
  });

  test('an agent matches by name; a specifier is meaningless for tools without a subject', () => {
    const task = parsed('Task', { subagent_type: 'Explore' });
    expect([allows('Agent(Explore)', task), allows('Task(Other)', task)]).toEqual(['yes', 'no']);
    const search = parsed('WebSearch', { query: 'x' });
    expect([allows('WebSearch(x)', search), stops('WebSearch(x)', search)]).toEqual([
      'no',
      'maybe',
    ]);
  });
});
