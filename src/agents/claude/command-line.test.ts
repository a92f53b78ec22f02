import { expect, test } from 'vitest';
import { judgeRefused } from '../../policy/tools/refused-tools.ts';
import { isOpenTool } from '../../policy/tools/tool-table.ts';
import type { Turn } from '../driver.ts';
import { type Conversation, commandLine, environment } from './command-line.ts';

const SETTINGS = { permissions: { ask: ['*'] }, crossSessionInbound: 'refuse' };
const BEGUN: Conversation = { how: 'begin', id: 'the-id' };
const line = (given: Partial<Turn> = {}, conversation: Conversation = BEGUN, files = {}) => {
  const turn = { agent: { kind: 'claude' }, message: 'the message', ...given } as Turn;
  return commandLine('/bin/claude', turn, conversation, files);
};
/** What follows an option; undefined if it is not there. */
const option = (argv: string[], name: string): string | undefined =>
  argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined;

test('[A12] [P3] every call is asked about, and nothing from the repository is loaded', () => {
  const argv = line();
  expect(argv[0]).toBe('/bin/claude');
  expect(option(argv, '--permission-prompt-tool')).toBe('stdio');
  expect(JSON.parse(option(argv, '--settings')!)).toEqual(SETTINGS);
  expect(option(argv, '--setting-sources')).toBe('');
  expect(argv).toContain('--strict-mcp-config');
  expect(argv.join(' ')).not.toContain('the message');
});

test('[P7] [X3] no tool is offered that could act without a check of the rules', () => {
  const offered = option(line({ trusted: true }), '--tools')?.split(',') ?? [];
  expect(offered).toContain('Bash');
  for (const tool of offered) {
    expect(judgeRefused({ tool, input: {} })).toBeNull();
    expect(isOpenTool(tool), `${tool} is not in the table`).toBe(tool === 'ReadMcpResourceTool');
  }
});

test('[A12] prompts that a repository schedules, and its workflows, are switched off', () => {
  expect(environment(2)).toMatchObject({
    CLAUDE_CODE_DISABLE_CRON: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  });
});

test('[A12] [P3] a trusted repository is loaded, and every call is asked about all the same', () => {
  const argv = line({ trusted: true });
  expect(JSON.parse(option(argv, '--settings')!)).toEqual(SETTINGS);
  expect(argv).not.toContain('--setting-sources');
  expect(argv).not.toContain('--strict-mcp-config');
});

test('[A3] a conversation is started or resumed', () => {
  expect(option(line(), '--session-id')).toBe('the-id');
  expect(option(line(), '--resume')).toBeUndefined();
  const resumed = line({}, { how: 'resume', id: 'the-id' });
  expect(option(resumed, '--resume')).toBe('the-id');
  expect(option(resumed, '--session-id')).toBeUndefined();
});

test('[S10] a fork has an id of its own, and begins at a message of the original', () => {
  const fork = { how: 'fork', id: 'the-id', source: '/a/b.jsonl' } as const;
  const argv = line({}, { ...fork, head: 'the-message' });
  expect(argv).toContain('--fork-session');
  expect(option(argv, '--resume')).toBe('/a/b.jsonl');
  expect(option(argv, '--session-id')).toBe('the-id');
  expect(option(argv, '--resume-session-at')).toBe('the-message');
  expect(line({}, { ...fork, head: null })).not.toContain('--resume-session-at');
});

test('[A6] models, limits, servers and a system prompt are passed on', () => {
  const given: Partial<Turn> = {
    agent: { kind: 'claude', model: 'opus', fallbackModel: 'sonnet' },
    limits: { turns: 7, budgetUsd: 0.25 },
    mcpServers: { one: { command: 'x' } },
    systemPrompt: 'Be brief.',
  };
  const argv = line(given, BEGUN, { mcpConfig: '/private/mcp', systemPrompt: '/private/prompt' });
  expect(option(argv, '--model')).toBe('opus');
  expect(option(argv, '--fallback-model')).toBe('sonnet');
  expect(option(argv, '--max-turns')).toBe('7');
  expect(option(argv, '--max-budget-usd')).toBe('0.25');
  expect(option(argv, '--mcp-config')).toBe('/private/mcp');
  expect(option(argv, '--append-system-prompt-file')).toBe('/private/prompt');
});
