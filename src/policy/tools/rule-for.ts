import { type ParsedCall, parseCall, type ToolCall } from './call.ts';
import { isCommandSet } from './command-sets.ts';
import { allows } from './match.ts';
import { parseUrl } from './parse-url.ts';
import { QUESTIONS } from './tool-table.ts';

/**
 * The rule that "Allow for this session" adds (A7): it allows the same command, file, folder, host
 * or agent again, or the whole tool if the call has none of these. Null if no rule would match only
 * this call, as for a command that is not plain.
 */
export function ruleFor(call: ToolCall): string | null {
  if (QUESTIONS.has(call.tool)) return null;
  const parsed = parseCall(call);
  const specifier = specifierFor(parsed);
  if (specifier === null) return null;
  const rule = specifier === '' ? call.tool : `${call.tool}(${specifier})`;
  return !rule.includes('*') && allows(rule, parsed) === 'yes' ? rule : null;
}

function specifierFor({ subject, command, paths, text }: ParsedCall): string | null {
  switch (subject) {
    case 'command': {
      const trimmed = command!.text.trim();
      return command!.plain.words && !isCommandSet(trimmed) ? trimmed : null;
    }
    case 'file':
    case 'folder': {
      const [path = null] = paths;
      return path === null || path.some((name) => name.includes('?'))
        ? null
        : `//${path.join('/')}`;
    }
    case 'url': {
      const url = text === null ? null : parseUrl(text);
      return url === null ? null : `domain:${url.hostname}`;
    }
    case 'agent':
      return text;
    default:
      return '';
  }
}
