import { type SeenCall, seeCall, type ToolCall } from './call.ts';
import { isCommandSet } from './command-sets.ts';
import { allows } from './match.ts';
import { QUESTIONS } from './tool-table.ts';

/**
 * The rule that allows the same again, for an answer that counts for the session (A7): the same
 * command, file, folder, host or agent, or the tool if it has none of these. Null where no rule
 * says just that, as with a command that is not plain.
 */
export function ruleFor(call: ToolCall): string | null {
  if (QUESTIONS.has(call.tool)) return null;
  const seen = seeCall(call);
  const specifier = specifierFor(seen);
  if (specifier === null) return null;
  const rule = specifier === '' ? call.tool : `${call.tool}(${specifier})`;
  return !rule.includes('*') && allows(rule, seen) === 'yes' ? rule : null;
}

function specifierFor({ subject, command, paths, text }: SeenCall): string | null {
  switch (subject) {
    case 'command': {
      const said = command!.text.trim();
      return command!.plain.words && !isCommandSet(said) ? said : null;
    }
    case 'file':
    case 'folder': {
      const [path = null] = paths;
      return path === null || path.some((name) => name.includes('?'))
        ? null
        : `//${path.join('/')}`;
    }
    case 'url':
      return text !== null && URL.canParse(text) ? `domain:${new URL(text).hostname}` : null;
    case 'agent':
      return text;
    default:
      return '';
  }
}
