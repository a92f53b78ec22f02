import { seeCall, shellCall, type ToolCall } from './call.ts';
import { stopsCommand } from './command-match.ts';
import { inSet } from './command-sets.ts';
import { TOOLS, type ToolKind, UNREPEATABLE } from './tool-table.ts';

/**
 * What it means that a call ran, for trying again (Q16). A tool that is not in the table, such as
 * one of an MCP server, may do anything.
 */
export function kindOf(call: ToolCall): ToolKind {
  const { command } = seeCall(call);
  if (command === null) return TOOLS.get(call.tool)?.kind ?? 'unrepeatable';
  if (UNREPEATABLE.some((rule) => stopsCommand(rule, command) === 'yes')) return 'unrepeatable';
  const { words } = command.plain;
  return words && inSet('read-only', words) ? 'reading' : 'writing';
}

/** The same of a message to the shell agent. What another program does with it is not known. */
export function kindOfCommand(message: string, program?: readonly string[]): ToolKind {
  const kind = kindOf(shellCall(message));
  return program !== undefined && kind === 'reading' ? 'writing' : kind;
}
