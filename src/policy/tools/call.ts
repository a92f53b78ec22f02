import type { Json } from '../../contract/json.ts';
import { type Command, commandOf } from './command-match.ts';
import { namedBy, namesIn, type RealPaths } from './named-paths.ts';
import { type NamedPath, type Place, segmentsOf } from './path-match.ts';
import { type Subject, TOOLS, type Tool } from './tool-table.ts';

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
  /** The file or folder from the root on; null if it is not known. */
  readonly path: readonly string[] | null;
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
  const field = (name: string): string | null => stringAt(listens ? socket : call.input, name);
  const seen = {
    tool,
    alsoAs,
    subject,
    place: { cwd, home },
    real: call.real,
    command: null,
    named: [],
    path: null,
    text: null,
  };
  switch (subject) {
    case 'command': {
      // With a socket beside it the command is not all there is, so it is not plain.
      const command = commandOf(socket === null ? said : `${said} &`);
      return { ...seen, command, named: namedBy(command, call, call.real) };
    }
    case 'file':
      return { ...seen, path: pathOf(field('file_path') ?? field('notebook_path'), call) };
    case 'folder':
      return { ...seen, path: folderOf(call, field) };
    case 'url':
      return { ...seen, text: field('url') };
    case 'agent':
      return { ...seen, text: field('subagent_type') };
    default:
      return seen;
  }
}

const pathOf = (path: string | null, place: Place): string[] | null =>
  path === null || path === '' ? null : segmentsOf(path, place);

/**
 * What a command names, or a tool that is not known, for a caller who can follow links; null if that
 * is too much. Of tools that work on files it is their path.
 */
export function namesOfCall({ tool, input }: ToolCall): ReadonlySet<string> | null {
  const { subject } = TOOLS.get(tool) ?? {};
  if (subject === 'command') return namesIn(commandOf(stringAt(input, 'command') ?? '').distinct());
  return TOOLS.has(tool) ? new Set() : stringsIn(input);
}

const STRINGS_MAX = 1000;

/** A tool that is not known may take a path anywhere in its input. */
export function stringsIn(input: Json | undefined): ReadonlySet<string> {
  const strings = new Set<string>();
  const open: Json[] = input === undefined ? [] : [input];
  while (open.length > 0 && strings.size < STRINGS_MAX) {
    const value = open.pop()!;
    if (typeof value === 'string') strings.add(value.replace(/^file:\/\//, ''));
    else if (typeof value === 'object' && value !== null) {
      for (const one of Object.values(value)) open.push(one);
    }
  }
  return strings;
}

/** Where a search begins: its path, and for Glob also what its pattern says before the first wildcard. */
function folderOf(call: ToolCall, field: (name: string) => string | null): string[] | null {
  const path = field('path') || '.';
  if (call.tool !== 'Glob') return pathOf(path, call);
  const fixed = (field('pattern') ?? '').split(/[*?[{]/, 1)[0]!;
  const folder = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  // A `..` after a wildcard leads anywhere.
  if (/(?:^|\/)\.\.(?:\/|$)/.test((field('pattern') ?? '').slice(fixed.length))) return null;
  return pathOf(
    folder.startsWith('/') || folder.startsWith('~') ? folder : `${path}/${folder}`,
    call,
  );
}

function stringAt(input: Json | undefined, name: string): string | null {
  const value = valueAt(input, name);
  return typeof value === 'string' ? value : null;
}

function valueAt(input: Json | undefined, name: string): Json {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  return (Object.hasOwn(input, name) ? input[name] : null) ?? null;
}
