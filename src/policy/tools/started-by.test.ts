import { expect, test } from 'vitest';
import { AgentSpec } from '../../contract/session.ts';
import { decide, strictest } from './decide.ts';
import { commandText, startedBy } from './started-by.ts';

const rules = (deny: string[]) => ({ allow: ['*'], ask: [], deny });

/** What is decided about the first thing that the agent would start, where all is allowed but this. */
function decided(agent: object, ...deny: string[]): string {
  const [first] = startedBy(AgentSpec.parse(agent));
  const calls = first?.calls ?? [];
  const scopes = { channel: 'cli', session: rules(deny) } as const;
  return strictest(calls.map((call) => decide(call, scopes))).decision;
}
const server = (config: object) => ({ mcpServers: { one: config } });

test('[P1] a command that an agent is configured to start is judged as Bash, however it is written', () => {
  expect(decided({ command: ['/bin/sh', '-c', 'rm -rf build'] }, 'Bash(rm -rf)')).toBe('deny');
  expect(decided({ command: ['agent', '--flag'] }, 'Bash(rm -rf)')).toBe('allow');
  expect(decided({ command: ['agent'] }, 'Bash')).toBe('deny');
  expect(decided({ command: ['echo', 'rm -rf build'] }, 'Bash(rm -rf)')).toBe('allow');
});

test('[P1] so is an MCP server by command, with its variables', () => {
  const byCommand = (command: string, args: string[] = [], env = {}) =>
    server({ command, args, env });
  expect(decided(byCommand('sh', ['-c', 'touch P']), 'Bash(touch)')).toBe('deny');
  expect(decided(byCommand('npx', ['-y', 'files'], { A: 'b c' }), 'Bash(npx)')).toBe('deny');
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: Claude Code puts the variable in
  expect(decided(byCommand('${NONE:-rm}', ['-rf', 'x']), 'Bash(rm -rf)')).toBe('deny');
  expect(decided(byCommand('rm', ['${NONE:--rf}', 'x']), 'Bash(rm -rf)')).toBe('deny');
  // What the variable holds is not known.
  expect(decided(byCommand('${TOOL}'), 'Bash(rm -rf)')).toBe('ask');
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
});

test('[P1] an MCP server by URL is judged as WebFetch of its host, and what makes its headers as Bash', () => {
  const byUrl = (url: string, more = {}) => server({ type: 'http', url, ...more });
  const domain = 'WebFetch(domain:evil.example)';
  expect(decided(byUrl('https://mcp.evil.example/x'), domain)).toBe('deny');
  expect(decided(byUrl('https://good.example/x'), domain)).toBe('allow');
  expect(decided(byUrl('https://good.example/x'), 'WebFetch')).toBe('deny');
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: Claude Code puts the variable in
  expect(decided(byUrl('${NONE:-https://evil.example}/x'), domain)).toBe('deny');
  expect(decided(byUrl('https://${HOST}/x'), domain)).toBe('ask');
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
  const helper = byUrl('https://good.example', { headersHelper: 'rm -rf x' });
  expect(decided(helper, 'Bash(rm -rf)')).toBe('deny');
});

test('[P1] [A12] programs that a repository brings are any command', () => {
  expect(decided({ trusted: true }, 'Bash')).toBe('deny');
  expect(decided({ trusted: true }, 'Bash(rm -rf)')).toBe('ask');
  expect(startedBy(AgentSpec.parse({ trusted: false }))).toEqual([]);
});

test('[P1] a server of an unknown form is refused, or if it is stored already, not understood', () => {
  for (const odd of [{}, { url: 'https://x' }, { command: 'x', run: 'y' }, { type: 'sdk' }, 'x']) {
    expect(AgentSpec.safeParse(server(odd as object)).success).toBe(false);
    const stored = server(odd as object) as unknown as AgentSpec;
    expect(startedBy(stored)).toEqual([{ field: 'agent.mcpServers.one', calls: null }]);
  }
});

test('[P1] words are quoted so that they are read back as they are', () => {
  expect(commandText(['a', 'b c', "it's", '', '$x'])).toBe(`a 'b c' 'it'\\''s' '' '$x'`);
});
