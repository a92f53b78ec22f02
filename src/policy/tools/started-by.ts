import { McpServer } from '../../contract/mcp-server.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { shellCall, type ToolCall } from './call.ts';

/*
 * What Baton is configured to start for an agent, as the calls it is judged as (P1): commands as
 * `Bash(…)`, servers by URL as `WebFetch(domain:…)`.
 */

/** A call that a configuration stands for, and what to call it. */
export interface Started {
  /** Such as `agent.command`. */
  readonly field: string;
  /** All readings of it; the strictest counts. Null if its form is not known. */
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
  // The repository's hooks and servers: commands that are not known here.
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
      // Of a host that is put together when it starts, only the tool is known.
      input: text.includes('${') ? {} : { url: text },
    })),
    ...(headersHelper === undefined ? [] : readings(headersHelper).map((text) => shellCall(text))),
  ];
}

/** Claude Code puts variables in: as they are written, and with what is taken where they are not set. */
const readings = (text: string): string[] => [
  ...new Set([text, text.replaceAll(/\$\{[^}]*?:-([^}]*)\}/g, '$1')]),
];

/** Words of a command line as a shell would read them back. */
export const commandText = (words: readonly string[]): string => words.map(quoted).join(' ');

/** The same, but what Claude Code puts a variable into is not a plain word. */
const word = (text: string): string => (text.includes('${') ? `"${text}"` : quoted(text));

const quoted = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
