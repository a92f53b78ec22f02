import { parseCall, shellCall, type ToolCall } from './call.ts';
import { stopsCommand } from './command-match.ts';
import { inSet } from './command-sets.ts';
import { TOOLS, type ToolKind, UNREPEATABLE } from './tool-table.ts';

/**
 * Whether a call may be repeated after it has run (Q16). A tool that is not in the table, such as
 * one from an MCP server, may do anything.
 */
export function kindOf(call: ToolCall): ToolKind {
  const { command } = parseCall(call);
  if (command === null) return TOOLS.get(call.tool)?.kind ?? 'unrepeatable';
  if (UNREPEATABLE.some((rule) => stopsCommand(rule, command) === 'yes')) return 'unrepeatable';
  const { words } = command.plain;
  return words && inSet('read-only', words) ? 'reading' : 'writing';
}

/**
 * Like `kindOf`, but for a message to the shell agent. A configured `program` may do anything with
 * the message.
 */
export function kindOfCommand(message: string, program?: readonly string[]): ToolKind {
  const kind = kindOf(shellCall(message));
  return program !== undefined && kind === 'reading' ? 'writing' : kind;
}
