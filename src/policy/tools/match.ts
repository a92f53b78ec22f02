import type { SeenCall } from './call.ts';
import { allowsCommand, type Match, stopsCommand } from './command-match.ts';
import { inSet } from './command-sets.ts';
import { MOVES, pathsOf, readsOfWords } from './named-paths.ts';
import { allowsPath, reachOf, stopsPath } from './path-match.ts';
import { parseRule, type Rule } from './rule.ts';

/** Whether an allow rule means the call. What is no rule allows nothing. */
export function allows(text: string, call: SeenCall): Match {
  const rule = parseRule(text);
  if (rule === null || !names(rule.tool, call)) return 'no';
  if (rule.specifier === null) return 'yes';
  switch (call.subject) {
    case 'command':
      return allowsCommand(rule.specifier, call.command!, call.place.cwd, call.real);
    case 'file':
    case 'folder':
      return ofPaths(call, (path, folder) =>
        allowsPath(rule.specifier!, path, call.place, folder),
      ).every((match) => match === 'yes')
        ? 'yes'
        : 'no';
    case 'url':
      return isOfDomain(rule.specifier, call.text, false);
    case 'agent':
      return rule.specifier === call.text ? 'yes' : 'no';
    default:
      return 'no';
  }
}

/** Whether a deny or ask rule means the call. What is no rule may mean anything. */
export function stops(text: string, call: SeenCall): Match {
  const rule = parseRule(text);
  if (rule === null) return 'maybe';
  if (!names(rule.tool, call)) return call.command ? namesPath(rule, call) : 'no';
  if (rule.specifier === null) return 'yes';
  switch (call.subject) {
    case 'command':
      return stopsCommand(rule.specifier, call.command!);
    case 'file':
    case 'folder':
      return strictest(
        ofPaths(call, (path, folder) => stopsPath(rule.specifier!, path, call.place, folder)),
      );
    case 'url':
      return isOfDomain(rule.specifier, call.text, true);
    case 'agent':
      return rule.specifier === call.text ? 'yes' : 'no';
    default:
      return 'maybe';
  }
}

/** What each path of the call is to a rule. */
const ofPaths = (
  { paths, subject }: SeenCall,
  match: (path: readonly string[] | null, folder: boolean) => Match,
): Match[] => paths.map((path) => match(path, subject === 'folder'));

const strictest = (matches: readonly Match[]): Match =>
  matches.includes('yes') ? 'yes' : matches.includes('maybe') ? 'maybe' : 'no';

function names(rule: string, { tool, alsoAs }: SeenCall): boolean {
  if (rule.endsWith('*')) return tool.startsWith(rule.slice(0, -1));
  if (rule === tool || alsoAs.includes(rule)) return true;
  return rule.startsWith('mcp__') && tool.startsWith(`${rule}__`);
}

/**
 * A command that names a file which must not be read, or a folder it is in; one that must not be
 * written is for a person. Of a command that is not plain it cannot be told what it does not name.
 */
function namesPath({ tool, specifier }: Rule, { command, named, place }: SeenCall): Match {
  const reading = tool === 'Read';
  if (specifier === null || !(reading || tool === 'Edit' || tool === 'Write')) return 'no';
  const { words } = command!.plain;
  if (!reading && words && inSet('read-only', words)) return 'no';
  const reads = words && readsOfWords(words, place.cwd);
  const cwd = reads === 'tree' ? pathsOf(['.'], place, undefined) : [];
  const reached = named === null ? 'unknown' : reachOf(specifier, [...named, ...cwd], place);
  if (reached === 'in') return reading ? 'yes' : 'maybe';
  if (!words || reached === 'unknown' || MOVES.has(words[0]!)) return 'maybe';
  const takesFolders = !reading || reads === 'folders' || reads === 'tree';
  return reached === 'above' && takesFolders ? 'maybe' : 'no';
}

/** `domain:example.com`, `domain:*.example.com`. Rules that stop mean the hosts below it, too. */
function isOfDomain(specifier: string, url: string | null, below: boolean): Match {
  const unknown = below ? 'maybe' : 'no';
  if (!specifier.startsWith('domain:') || url === null || !URL.canParse(url)) return unknown;
  const host = new URL(url).hostname.replace(/\.$/, '');
  const domain = specifier.slice('domain:'.length).trim().toLowerCase();
  if (domain.startsWith('*.')) return host.endsWith(domain.slice(1)) ? 'yes' : 'no';
  return host === domain || (below && host.endsWith(`.${domain}`)) ? 'yes' : 'no';
}
