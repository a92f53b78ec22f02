import type { Json } from '../../contract/values/json.ts';
import { type Command, commandOf } from './command-match.ts';
import { allNamesIn, namedBy, pathsInside, type RealPaths } from './named-paths.ts';
import { type Location, type NamedPath, readingsOf, type Steps } from './path-match.ts';
import { isOpenTool, type Subject, TOOLS, type Tool } from './tool-table.ts';
import { expandedWords, withVariables } from './words/expanded-words.ts';
import { looseParts } from './words/plain-words.ts';
import { quotedNames } from './words/quoted-names.ts';
import { PATH_MAX, shortened } from './words/short-path.ts';

/** A tool call that an agent wants to make. */
export interface ToolCall extends Location {
  readonly tool: string;
  readonly input?: Json | undefined;
  /** Where the names in a command really lead; unknown if missing. */
  readonly real?: RealPaths | undefined;
  /**
   * The top folders of the repositories that git may use in the workspace and in the folders that
   * the call names; unknown if missing.
   */
  readonly repositories?: readonly string[] | undefined;
}

/** The call that represents a message to the shell agent when rules are checked (P3). */
export const shellCall = (message: string, location: Location = {}): ToolCall => ({
  ...location,
  tool: 'Bash',
  input: { command: message },
});

/** A call with everything that rules are matched against, computed once. */
export interface ParsedCall {
  readonly tool: string;
  readonly alsoAs: readonly string[];
  readonly location: Location;
  readonly subject: Subject | null;
  readonly command: Command | null;
  /** The command's words as paths; null if there are too many to compare. */
  readonly named: readonly NamedPath[] | null;
  readonly real: RealPaths | undefined;
  /** The files or the folder, as path segments from the root; null for an unknown path. */
  readonly paths: readonly (readonly string[] | null)[];
  readonly text: string | null;
  readonly steps: Steps;
}

/** Together with the limit on a command's length, this keeps a decision well below 100 ms. */
const STEPS_MAX = 4_000_000;

/** Monitor with `ws` reads from an address instead of running a command. */
const LISTENING: Pick<Tool, 'subject' | 'alsoAs'> = { subject: 'url', alsoAs: ['WebFetch'] };

export function parseCall(call: ToolCall): ParsedCall {
  const { tool, cwd, home } = call;
  const commandText = stringAt(call.input, 'command') ?? '';
  const socket = tool === 'Monitor' ? valueAt(call.input, 'ws') : null;
  const listens = socket !== null && commandText === '';
  const { subject = null, alsoAs = [] } = (listens ? LISTENING : TOOLS.get(tool)) ?? {};
  const field: Field = (name) => stringAt(listens ? socket : call.input, name);
  const parsed = {
    tool,
    alsoAs,
    subject,
    location: { cwd, home },
    real: call.real,
    command: null,
    named: [],
    paths: [],
    text: null,
    steps: { left: STEPS_MAX },
  };
  switch (subject) {
    case 'command': {
      // A call that also has a socket does more than run its command, so it does not count as
      // plain.
      const command = commandOf(socket === null ? commandText : `${commandText} &`);
      return { ...parsed, command, named: namedBy(command, call, call.real) };
    }
    case 'file':
      return { ...parsed, paths: filesOf(call, field) };
    case 'folder':
      return { ...parsed, paths: pathsAt(folderOf(call, field), call) };
    case 'url':
      return { ...parsed, text: field('url') };
    case 'agent':
      return { ...parsed, text: field('subagent_type') };
    default:
      return parsed;
  }
}

/** The input fields that name a tool's file. Each tool reads one of them and ignores the others. */
export const FILE_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

/**
 * The path as a tool reads it and, if that differs, in composed characters (NFC). Claude Code
 * 2.1.325 opens the name as written, which may be a link; other tools and some file systems compose
 * it first. A path longer than any system opens is not normalized, because that takes quadratic
 * time.
 */
export function spellingsOf(path: string): string[] {
  const short = shortened(path.trim());
  return short.length > PATH_MAX ? [short] : [...new Set([short, short.normalize('NFC')])];
}

function filesOf(call: ToolCall, field: Field): ParsedCall['paths'] {
  const files = FILE_FIELDS.map(field).filter((path) => path !== null);
  return files.length === 0 ? [null] : files.flatMap((path) => pathsAt(path, call));
}

function pathsAt(path: string | null, location: Location): (string[] | null)[] {
  const spellings = path === null ? [''] : spellingsOf(path);
  return spellings.flatMap((one) => (one === '' ? [null] : readingsOf(one, location)));
}

/**
 * The names in a command, or in the input of an unknown tool, for a caller that can follow links;
 * null if there are too many. Empty for any other known tool, because its paths have fields of
 * their own.
 */
export function namesOfCall({ tool, input, home }: ToolCall): ReadonlySet<string> | null {
  const { subject } = TOOLS.get(tool) ?? {};
  if (subject === 'command') return namesOfCommand(stringAt(input, 'command') ?? '', home);
  if (!isOpenTool(tool)) return new Set();
  const { strings, isAll } = stringsIn(input);
  const names = isAll ? namesOfCommand(asText(strings), home) : null;
  return names === null ? null : new Set([...strings, ...names]);
}

function namesOfCommand(command: string, home: string | undefined): ReadonlySet<string> | null {
  const { text, plain, distinct, quoted: quotedIn } = commandOf(command);
  const atHome = withVariables(text, home);
  const isSame = atHome === text;
  const expanded = plain.words === null ? expandedWords(atHome) : new Set<string>();
  const visible = isSame ? distinct() : new Set([...distinct(), ...looseParts(atHome).flat()]);
  // The pieces of a script that is not plain are words already.
  const inside = plain.words === null ? new Set<string>() : pathsInside(distinct());
  const all = expanded.size === 0 ? visible : new Set([...visible, ...expanded]);
  const { names, isAll } = allNamesIn(all);
  const quoted = isSame ? quotedIn() : quotedNames(atHome);
  if (!isAll || quoted === null || inside === null) return null;
  return new Set([...names, ...quoted, ...inside]);
}

/** The texts in the input of an unknown tool as one text, which may contain commands. */
export const asText = (strings: ReadonlySet<string>): string => [...strings].join('\n');

const STRINGS_MAX = 1000;
const STRINGS_CHARACTERS_MAX = 64 * 1024;

/** An unknown tool may accept a path anywhere in its input. */
export function stringsIn(input: Json | undefined): {
  readonly strings: ReadonlySet<string>;
  readonly isAll: boolean;
} {
  const strings = new Set<string>();
  const open: Json[] = input === undefined ? [] : [input];
  let characters = 0;
  while (open.length > 0) {
    if (strings.size > STRINGS_MAX) return { strings, isAll: false };
    const value = open.pop()!;
    if (typeof value === 'string') {
      characters += value.length;
      if (characters > STRINGS_CHARACTERS_MAX) return { strings, isAll: false };
      for (const one of spellingsOf(value)) {
        const path = pathInUrl(one);
        strings.add(path);
        if (path !== one) strings.add(path.split(/[?#]/, 1)[0]!);
      }
    } else if (Array.isArray(value)) {
      for (const one of value) open.push(one);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) open.push(name, one);
    }
  }
  return { strings, isAll: true };
}

/** `file:///x`, `file://localhost/x` and `file:/x` all mean `/x`. */
function pathInUrl(text: string): string {
  if (!/^file:/i.test(text)) return text;
  const path = text.replace(/^file:(?:\/\/[^/]*(?=\/))?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The folder to search: the path, and for Glob also its pattern up to the first wildcard. */
function folderOf(call: ToolCall, field: Field): string | null {
  const path = shortened((field('path') ?? '').trim()) || '.';
  if (call.tool !== 'Glob') return path;
  const fixed = (field('pattern') ?? '').split(/[*?[{]/, 1)[0]!;
  const folder = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  // A `..` after a wildcard may lead anywhere.
  if (/(?:^|\/)\.\.(?:\/|$)/.test((field('pattern') ?? '').slice(fixed.length))) return null;
  return folder.startsWith('/') || folder.startsWith('~') ? folder : `${path}/${folder}`;
}

type Field = (name: string) => string | null;

function stringAt(input: Json | undefined, name: string): string | null {
  const value = valueAt(input, name);
  return typeof value === 'string' ? value : null;
}

function valueAt(input: Json | undefined, name: string): Json {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  return (Object.hasOwn(input, name) ? input[name] : null) ?? null;
}
