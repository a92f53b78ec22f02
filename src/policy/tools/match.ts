import type { ParsedCall } from './call.ts';
import { allowsCommand, type Match, stopsCommand } from './command-match.ts';
import { inSet } from './command-sets.ts';
import { MOVES, pathsOf, readsOfWords } from './named-paths.ts';
import { parseUrl } from './parse-url.ts';
import { allowsPath, reachOf, stopsPath } from './path-match.ts';
import { parseRule, type Rule } from './rule.ts';

/** Whether an allow rule matches the call. A malformed rule allows nothing. */
export function allows(text: string, call: ParsedCall): Match {
  const rule = parseRule(text);
  if (rule === null || !names(rule.tool, call)) return 'no';
  if (rule.specifier === null) return 'yes';
  switch (call.subject) {
    case 'command':
      return allowsCommand(rule.specifier, call);
    case 'file':
    case 'folder':
      return matchPaths(call, (path, folder) =>
        allowsPath(rule.specifier!, path, call.location, folder, call.steps),
      ).every((match) => match === 'yes')
        ? 'yes'
        : 'no';
    case 'url':
      return matchDomain(rule.specifier, call.text, false);
    case 'agent':
      return rule.specifier === call.text ? 'yes' : 'no';
    default:
      return 'no';
  }
}

/** Whether a deny or ask rule matches the call. A malformed rule may match anything. */
export function stops(text: string, call: ParsedCall): Match {
  const rule = parseRule(text);
  if (rule === null) return 'maybe';
  if (!names(rule.tool, call)) return call.command ? namesPath(rule, call) : 'no';
  if (rule.specifier === null) return 'yes';
  switch (call.subject) {
    case 'command':
      return stopsCommand(rule.specifier, call.command!, call.steps);
    case 'file':
    case 'folder':
      return strictest(
        matchPaths(call, (path, folder) =>
          stopsPath(rule.specifier!, path, call.location, folder, call.steps),
        ),
      );
    case 'url':
      return matchDomain(rule.specifier, call.text, true);
    case 'agent':
      return rule.specifier === call.text ? 'yes' : 'no';
    default:
      return 'maybe';
  }
}

const matchPaths = (
  { paths, subject }: ParsedCall,
  match: (path: readonly string[] | null, folder: boolean) => Match,
): Match[] => paths.map((path) => match(path, subject === 'folder'));

const strictest = (matches: readonly Match[]): Match =>
  matches.includes('yes') ? 'yes' : matches.includes('maybe') ? 'maybe' : 'no';

function names(rule: string, { tool, alsoAs }: ParsedCall): boolean {
  if (rule.endsWith('*')) return tool.startsWith(rule.slice(0, -1));
  if (rule === tool || alsoAs.includes(rule)) return true;
  return rule.startsWith('mcp__') && tool.startsWith(`${rule}__`);
}

/**
 * Matches a path rule against the files that a command names. For `Read`, naming such a file is
 * `yes`, and naming a folder above it is `maybe` if the command reads folders. For `Edit` and
 * `Write`, both are `maybe`. A command that is not plain may name files in hidden ways, so the
 * result for it is never `no`.
 */
function namesPath({ tool, specifier }: Rule, call: ParsedCall): Match {
  const { command, named, location, steps } = call;
  const reading = tool === 'Read';
  if (specifier === null || !(reading || tool === 'Edit' || tool === 'Write')) return 'no';
  const { words } = command!.plain;
  if (!reading && words && inSet('read-only', words)) return 'no';
  const reads = words && readsOfWords(words, location.cwd);
  const cwd = reads === 'tree' ? pathsOf(['.'], location, undefined) : [];
  const reached =
    named === null ? 'unknown' : reachOf(specifier, [...named, ...cwd], location, steps);
  if (reached === 'in') return reading ? 'yes' : 'maybe';
  if (!words || reached === 'unknown' || MOVES.has(words[0]!)) return 'maybe';
  const takesFolders = !reading || (reads !== 'files' && reads !== 'names');
  return reached === 'above' && takesFolders ? 'maybe' : 'no';
}

/**
 * `domain:example.com`, `domain:*.example.com`. With `below` (for deny and ask rules), subdomains
 * also match.
 */
function matchDomain(specifier: string, url: string | null, below: boolean): Match {
  const unknown = below ? 'maybe' : 'no';
  const parsed = url === null ? null : parseUrl(url);
  if (!specifier.startsWith('domain:') || parsed === null) return unknown;
  const host = parsed.hostname.replace(/\.$/, '');
  const domain = specifier.slice('domain:'.length).trim().toLowerCase();
  if (domain.startsWith('*.')) return host.endsWith(domain.slice(1)) ? 'yes' : 'no';
  return host === domain || (below && host.endsWith(`.${domain}`)) ? 'yes' : 'no';
}
