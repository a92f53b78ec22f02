import { McpServer } from '../../contract/mcp-server.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { shellCall, type ToolCall } from './call.ts';

/*
 * Programs that Baton is configured to start for an agent, expressed as calls so that rules can
 * judge them (P1): commands as `Bash(…)`, servers with a URL as `WebFetch(domain:…)`.
 */

/** One configured program. */
export interface Started {
  /** The field that configures it, such as `agent.command`. */
  readonly field: string;
  /** All its readings; the strictest verdict applies. Null if its form is unknown. */
  readonly calls: readonly ToolCall[] | null;
}

export function startedBy({ command, mcpServers = {}, trusted }: AgentSpec): Started[] {
  const started: Started[] = Object.entries(mcpServers).map(([name, server]) => {
    const parsed = McpServer.safeParse(server);
    const calls = parsed.success ? callsOf(parsed.data) : null;
    return { field: `agent.mcpServers.${name}`, calls };
  });
  if (command !== undefined) {
    started.push({ field: 'agent.command', calls: [shellCall(commandText(command))] });
  }
  // The repository's hooks and servers may run any command.
  if (trusted === true) started.push({ field: 'agent.trusted', calls: [{ tool: 'Bash' }] });
  return started;
}

function callsOf(server: McpServer): ToolCall[] {
  if ('command' in server) {
    const { command, args = [], env = {} } = server;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${word(value)}`);
    const words = [...variables, ...[command, ...args].map(word)];
    return readings(words.join(' ')).map((text) => shellCall(text));
  }
  const { url, headersHelper } = server;
  return [
    ...readings(url).map((text) => ({
      tool: 'WebFetch',
      // The host is only known when the variables are expanded, so only the tool is judged.
      input: text.includes('${') ? {} : { url: text },
    })),
    ...(headersHelper === undefined ? [] : readings(headersHelper).map((text) => shellCall(text))),
  ];
}

/** Claude Code expands variables, so there are two readings: as written, and with the defaults. */
const readings = (text: string): string[] => [
  ...new Set([text, text.replaceAll(/\$\{[^}]*?:-([^}]*)\}/g, '$1')]),
];

/** Quotes the words for a shell. */
export const commandText = (words: readonly string[]): string => words.map(quoted).join(' ');

/** The same, but a word with a variable that Claude Code expands is not plain. */
const word = (text: string): string => (text.includes('${') ? `"${text}"` : quoted(text));

const quoted = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
