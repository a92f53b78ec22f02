import type { Json } from '../../contract/json.ts';
import { type Command, commandOf } from './command-match.ts';
import { expandedWords, withHome } from './expanded-words.ts';
import { namedBy, namesIn, type RealPaths } from './named-paths.ts';
import { type NamedPath, type Place, readingsOf } from './path-match.ts';
import { PATH_MAX, shortened } from './short-path.ts';
import { isOpenTool, type Subject, TOOLS, type Tool } from './tool-table.ts';

/** What an agent wants to do. */
export interface ToolCall extends Place {
  readonly tool: string;
  readonly input?: Json | undefined;
  /** Where the names in a command really lead; not known without it. */
  readonly real?: RealPaths | undefined;
}

/** A message to the shell agent, as the call it is checked as (P3). */
export const shellCall = (message: string, place: Place = {}): ToolCall => ({
  ...place,
  tool: 'Bash',
  input: { command: message },
});

/** A call with everything that rules compare, worked out once. */
export interface SeenCall {
  readonly tool: string;
  readonly alsoAs: readonly string[];
  readonly place: Place;
  readonly subject: Subject | null;
  readonly command: Command | null;
  /** What the words of the command would be as paths; null if they are too many to be compared. */
  readonly named: readonly NamedPath[] | null;
  readonly real: RealPaths | undefined;
  /** The files or the folder, each from the root on; null for one that is not known. */
  readonly paths: readonly (readonly string[] | null)[];
  readonly text: string | null;
}

/** Monitor with `ws` reads from an address instead of running a command. */
const LISTENING: Pick<Tool, 'subject' | 'alsoAs'> = { subject: 'url', alsoAs: ['WebFetch'] };

export function seeCall(call: ToolCall): SeenCall {
  const { tool, cwd, home } = call;
  const said = stringAt(call.input, 'command') ?? '';
  const socket = tool === 'Monitor' ? valueAt(call.input, 'ws') : null;
  const listens = socket !== null && said === '';
  const { subject = null, alsoAs = [] } = (listens ? LISTENING : TOOLS.get(tool)) ?? {};
  const field: Field = (name) => stringAt(listens ? socket : call.input, name);
  const seen = {
    tool,
    alsoAs,
    subject,
    place: { cwd, home },
    real: call.real,
    command: null,
    named: [],
    paths: [],
    text: null,
  };
  switch (subject) {
    case 'command': {
      // With a socket beside it the command is not all there is, so it is not plain.
      const command = commandOf(socket === null ? said : `${said} &`);
      return { ...seen, command, named: namedBy(command, call, call.real) };
    }
    case 'file':
      return { ...seen, paths: filesOf(call, field) };
    case 'folder':
      return { ...seen, paths: pathsAt(folderOf(call, field), call) };
    case 'url':
      return { ...seen, text: field('url') };
    case 'agent':
      return { ...seen, text: field('subagent_type') };
    default:
      return seen;
  }
}

/** Where the tools that work on a file say which. A tool reads one of them, and ignores the others. */
export const FILE_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

/** As Claude Code takes it from its input. Normalizing takes quadratic time, and nothing opens a long path. */
export function asTaken(path: string): string {
  const short = shortened(path.trim());
  return short.length > PATH_MAX ? short : short.normalize('NFC');
}

function filesOf(call: ToolCall, field: Field): SeenCall['paths'] {
  const said = FILE_FIELDS.map(field).filter((path) => path !== null);
  return said.length === 0 ? [null] : said.flatMap((path) => pathsAt(path, call));
}

function pathsAt(path: string | null, place: Place): (string[] | null)[] {
  const taken = path === null ? '' : asTaken(path);
  return taken === '' ? [null] : readingsOf(taken, place);
}

/**
 * What a command names, or a tool that is not known, for a caller who can follow links; null if that
 * is too much. Of tools that work on files it is their path.
 */
export function namesOfCall({ tool, input, home }: ToolCall): ReadonlySet<string> | null {
  const { subject } = TOOLS.get(tool) ?? {};
  if (subject === 'command') {
    const { text, distinct } = commandOf(stringAt(input, 'command') ?? '');
    const atHome = withHome(text, home);
    return namesIn(
      atHome === text ? distinct() : new Set([...distinct(), ...expandedWords(atHome)]),
    );
  }
  if (!isOpenTool(tool)) return new Set();
  const { strings, isAll } = stringsIn(input);
  if (!isAll) return null;
  const words = [...strings].filter(isText).flatMap((text) => [...commandOf(text).distinct()]);
  return new Set([...strings, ...(namesIn(new Set(words)) ?? [])]);
}

/** More than one word, or a quoted one, so that it may be a command. */
export const isText = (text: string): boolean => /[\s"'`$;&|<>]/.test(text);

const STRINGS_MAX = 1000;

/** A tool that is not known may take a path anywhere in its input. */
export function stringsIn(input: Json | undefined): {
  readonly strings: ReadonlySet<string>;
  readonly isAll: boolean;
} {
  const strings = new Set<string>();
  const open: Json[] = input === undefined ? [] : [input];
  while (open.length > 0) {
    if (strings.size > STRINGS_MAX) return { strings, isAll: false };
    const value = open.pop()!;
    if (typeof value === 'string') strings.add(pathInUrl(asTaken(value)));
    else if (typeof value === 'object' && value !== null) {
      for (const one of Object.values(value)) open.push(one);
    }
  }
  return { strings, isAll: true };
}

/** `file:///x`, `file://localhost/x` and `file:/x` are `/x`. */
function pathInUrl(text: string): string {
  if (!/^file:/i.test(text)) return text;
  const path = text.replace(/^file:(?:\/\/[^/]*(?=\/))?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Where a search begins: its path, and for Glob also what its pattern says before the first wildcard. */
function folderOf(call: ToolCall, field: Field): string | null {
  const path = asTaken(field('path') ?? '') || '.';
  if (call.tool !== 'Glob') return path;
  const fixed = (field('pattern') ?? '').split(/[*?[{]/, 1)[0]!;
  const folder = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  // A `..` after a wildcard leads anywhere.
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
