import { McpServer } from '../../contract/mcp-server.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { shellCall, type ToolCall } from './call.ts';

/*
 * Programs that Baton is configured to start for an agent, expressed as calls so that rules can
 * judge them (P1): commands as `Bash(…)`, servers with a URL as `WebFetch(domain:…)`.
 */

/** One configured program. */
export interface Started {
  /** The field that configures the program, such as `agent.command`. */
  readonly field: string;
  /**
   * All possible readings of the program; the strictest verdict applies. Null if the program's form
   * is unknown.
   */
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
const readings = (text: string): string[] => [...new Set([text, withDefaults(text)])];

/**
 * Replaces each `${NAME:-default}` with its default, like `\$\{[^}]*?:-([^}]*)\}`. That regular
 * expression would take cubic time for text with many `${` and no `}`.
 */
export function withDefaults(text: string): string {
  let replaced = '';
  let done = 0;
  let open = text.indexOf('${');
  let dash = 0;
  while (open !== -1) {
    const end = text.indexOf('}', open);
    if (dash < open + 2) dash = text.indexOf(':-', open + 2);
    if (end === -1 || dash === -1) break;
    if (dash + 2 <= end) {
      replaced += text.slice(done, open) + text.slice(dash + 2, end);
      done = end + 1;
    }
    open = text.indexOf('${', end + 1);
  }
  return replaced + text.slice(done);
}

/** Quotes the words for a shell. */
export const commandText = (words: readonly string[]): string => words.map(quoted).join(' ');

/**
 * Quotes a word. A word with a variable that Claude Code expands gets double quotes, so that it
 * does not count as plain.
 */
const word = (text: string): string => (text.includes('${') ? `"${text}"` : quoted(text));

const quoted = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
