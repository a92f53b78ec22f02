import type { Json } from '../contract/json.ts';
import { seeCall, type ToolCall } from '../policy/tools/call.ts';
import { isCommandSet } from '../policy/tools/command-sets.ts';
import { allows } from '../policy/tools/match.ts';
import { TOOLS } from '../policy/tools/tool-table.ts';

/**
 * The narrowest rule that allows a call again, or null if none allows just it: a command with shell
 * syntax, or a name that in a rule would mean more than itself.
 */
export function ruleOf(call: ToolCall): string | null {
  const rule = textOf(call);
  return rule !== null && allows(rule, seeCall(call)) === 'yes' ? rule : null;
}

function textOf(call: ToolCall): string | null {
  const { tool, cwd } = call;
  const field = (name: string): string => {
    const { input } = call;
    const value = isFields(input) && Object.hasOwn(input, name) ? input[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const within = (specifier: string | null): string | null =>
    specifier === null ? null : `${tool}(${specifier})`;
  switch (TOOLS.get(tool)?.subject) {
    case 'command':
      return within(literal(field('command').trim()));
    case 'file':
      return within(fromRoot(field('file_path') || field('notebook_path'), cwd));
    case 'folder':
      // Its pattern may lead out of the folder; what the folder holds is what is asked for.
      return within(fromRoot(field('path') || '.', cwd));
    case 'url': {
      const url = field('url');
      return within(URL.canParse(url) ? `domain:${new URL(url).hostname}` : null);
    }
    case 'agent':
      return within(field('subagent_type') || null);
    default:
      return tool;
  }
}

/** A `*` stands for anything in a rule, and the name of a set for all of it. */
const literal = (command: string): string | null =>
  command === '' || command.includes('*') || isCommandSet(command) ? null : command;

function fromRoot(path: string, cwd: string | undefined): string | null {
  const absolute = path.startsWith('/') ? path : cwd === undefined ? null : `${cwd}/${path}`;
  if (absolute === null || path === '' || /[*?]/.test(absolute)) return null;
  return `/${absolute}`;
}

const isFields = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
