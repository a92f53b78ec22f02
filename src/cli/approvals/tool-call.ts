import { usageError } from '../../config/user-error.ts';
import type { Json } from '../../contract/values/json.ts';

/** A tool call to test against the rules. */
export interface ToolCall {
  readonly tool: string;
  readonly input?: Json;
}

/**
 * For these tools, the text in parentheses is the value of this input field; for all others, it is
 * JSON.
 */
const FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
  Grep: 'path',
  Glob: 'path',
  LS: 'path',
  WebFetch: 'url',
  Task: 'subagent_type',
  Agent: 'subagent_type',
};

/** Parses a call such as `Read`, `Bash(git push)` or `mcp__box__put({"a":1})`. */
export function parseToolCall(text: string): ToolCall {
  const [, tool, , inside] = /^([A-Za-z][\w.:-]*)(\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined)
    throw notACall(text, 'a call is the name of a tool, with its input in parentheses');
  if (inside === undefined) return { tool };
  if (inside.trimStart().startsWith('{')) return { tool, input: parse(text, inside) };
  const field = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  if (field === undefined) throw notACall(text, `the input of ${tool} must be JSON`);
  return { tool, input: { [field]: inside } };
}

function parse(text: string, inside: string): Json {
  try {
    return JSON.parse(inside) as Json;
  } catch {
    throw notACall(text, 'the input in parentheses starts like JSON but is not valid JSON');
  }
}

const notACall = (text: string, why: string): Error =>
  usageError({
    what: `"${text}" is not a valid tool call.`,
    why: `${why}.`,
    todo: 'write it as "Read", "Bash(git push)" or \'mcp__box__put({"name": "x"})\'.',
  });
