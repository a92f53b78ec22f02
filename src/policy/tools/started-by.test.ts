import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentSpec } from '../../contract/session.ts';
import { decide, strictest } from './decide.ts';
import { commandText, startedBy, withDefaults } from './started-by.ts';

const rules = (deny: string[]) => ({ allow: ['*'], ask: [], deny });

/** The decision about the first program that the agent would start; everything but `deny` is allowed. */
function decided(agent: object, ...deny: string[]): string {
  const [first] = startedBy(AgentSpec.parse(agent));
  const calls = first?.calls ?? [];
  const scopes = { channel: 'cli', session: rules(deny) } as const;
  return strictest(calls.map((call) => decide(call, scopes))).decision;
}
const server = (config: object) => ({ mcpServers: { one: config } });

test('[P1] agent.command is judged as Bash, however it is written', () => {
  expect(decided({ command: ['/bin/sh', '-c', 'rm -rf build'] }, 'Bash(rm -rf)')).toBe('deny');
  expect(decided({ command: ['agent', '--flag'] }, 'Bash(rm -rf)')).toBe('allow');
  expect(decided({ command: ['agent'] }, 'Bash')).toBe('deny');
  expect(decided({ command: ['echo', 'rm -rf build'] }, 'Bash(rm -rf)')).toBe('allow');
});

test('[P1] an MCP server by command is judged as Bash, with its variables', () => {
  const byCommand = (command: string, args: string[] = [], env = {}) =>
    server({ command, args, env });
  expect(decided(byCommand('sh', ['-c', 'touch P']), 'Bash(touch)')).toBe('deny');
  expect(decided(byCommand('npx', ['-y', 'files'], { A: 'b c' }), 'Bash(npx)')).toBe('deny');
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: Claude Code expands the variable
  expect(decided(byCommand('${NONE:-rm}', ['-rf', 'x']), 'Bash(rm -rf)')).toBe('deny');
  expect(decided(byCommand('rm', ['${NONE:--rf}', 'x']), 'Bash(rm -rf)')).toBe('deny');
  // The variable's value is unknown.
  expect(decided(byCommand('${TOOL}'), 'Bash(rm -rf)')).toBe('ask');
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
});

test('[P1] an MCP server by URL is judged as WebFetch of its host, and its headersHelper as Bash', () => {
  const byUrl = (url: string, more = {}) => server({ type: 'http', url, ...more });
  const domain = 'WebFetch(domain:evil.example)';
  expect(decided(byUrl('https://mcp.evil.example/x'), domain)).toBe('deny');
  expect(decided(byUrl('https://good.example/x'), domain)).toBe('allow');
  expect(decided(byUrl('https://good.example/x'), 'WebFetch')).toBe('deny');
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: Claude Code expands the variable
  expect(decided(byUrl('${NONE:-https://evil.example}/x'), domain)).toBe('deny');
  expect(decided(byUrl('https://${HOST}/x'), domain)).toBe('ask');
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
  const helper = byUrl('https://good.example', { headersHelper: 'rm -rf x' });
  expect(decided(helper, 'Bash(rm -rf)')).toBe('deny');
});

test('[P1] [A12] a trusted repository may bring any command, so it is judged as Bash', () => {
  expect(decided({ trusted: true }, 'Bash')).toBe('deny');
  expect(decided({ trusted: true }, 'Bash(rm -rf)')).toBe('ask');
  expect(startedBy(AgentSpec.parse({ trusted: false }))).toEqual([]);
});

test('[P1] an MCP server of an unknown form is refused; one already stored has no calls to judge', () => {
  for (const odd of [{}, { url: 'https://x' }, { command: 'x', run: 'y' }, { type: 'sdk' }, 'x']) {
    expect(AgentSpec.safeParse(server(odd as object)).success).toBe(false);
    const stored = server(odd as object) as unknown as AgentSpec;
    expect(startedBy(stored)).toEqual([{ field: 'agent.mcpServers.one', calls: null }]);
  }
});

test('[P1] words are quoted for a shell', () => {
  expect(commandText(['a', 'b c', "it's", '', '$x'])).toBe(`a 'b c' 'it'\\''s' '' '$x'`);
});

test('[P1] [H9] defaults of variables are found as the expression finds them, in linear time', () => {
  const pieces = fc.constantFrom('$', '{', '}', ':', '-', 'a', '${', ':-', '${A:-', '}');
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
      (text) => {
        expect(withDefaults(text)).toBe(text.replaceAll(/\$\{[^}]*?:-([^}]*)\}/g, '$1'));
      },
    ),
    { numRuns: 2000 },
  );
  // The expression would take years for this.
  const open = '${A:-'.repeat(200_000);
  expect(withDefaults(open)).toBe(open);
  const closed = `${'$A}'.replace('A', '{A').repeat(200_000)}:-`;
  expect(withDefaults(closed)).toBe(closed);
});

test('[P1] an MCP server may not have variables with names that hide its program', () => {
  const withVariable = (name: string) =>
    AgentSpec.safeParse(server({ command: 'curl', env: { [name]: 'x' } })).success;
  expect(['A', 'a_1', '_x'].map(withVariable)).toEqual([true, true, true]);
  expect(['a b', 'cat a', '1a', 'a-b', 'a=b'].map(withVariable)).toEqual(Array(5).fill(false));
  const [older] = startedBy({
    kind: 'claude',
    mcpServers: { one: { command: 'curl', env: { 'a b': 'x' } } },
  });
  expect(older?.calls).toBeNull();
});
