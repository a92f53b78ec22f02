import { fieldsOf, textIn } from '../../../src/client/fields.ts';
import { spellOutUnseen, spellOutUnseenInProse } from '../../../src/client/spell-out-unseen.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import type { ToolBlock } from '../log/blocks.ts';

/** Keys of `t.conversation.tools`. */
export type Verb =
  | 'run'
  | 'read'
  | 'write'
  | 'edit'
  | 'find'
  | 'fetch'
  | 'searchWeb'
  | 'delegate'
  | 'plan';

export interface Summary {
  /** Null if the call is shown under the tool's own name. */
  readonly verb: Verb | null;
  readonly name: string;
  readonly target: string;
}

const TOOLS: Readonly<Record<string, readonly [verb: Verb, ...fields: string[]]>> = {
  Bash: ['run', 'command'],
  BashOutput: ['run', 'bash_id'],
  Read: ['read', 'file_path'],
  NotebookRead: ['read', 'notebook_path'],
  LS: ['find', 'path'],
  Glob: ['find', 'pattern', 'path'],
  Grep: ['find', 'pattern', 'path'],
  Write: ['write', 'file_path'],
  Edit: ['edit', 'file_path'],
  MultiEdit: ['edit', 'file_path'],
  NotebookEdit: ['edit', 'notebook_path'],
  WebFetch: ['fetch', 'url'],
  WebSearch: ['searchWeb', 'query'],
  Task: ['delegate', 'description'],
  Agent: ['delegate', 'description'],
  TodoWrite: ['plan'],
};

/** Verbs whose targets are prose, not paths or commands. */
const PROSE: readonly Verb[] = ['searchWeb', 'delegate'];

/** Verb and target on one line; files in the workspace have relative paths. */
export function summaryOf(tool: string, input: Json, workspace: string | null = null): Summary {
  const known = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  const fields = fieldsOf(input);
  if (known !== undefined) {
    const [verb, ...names] = known;
    const parts = names
      .map((name) => within(textIn(fields, name), workspace))
      .filter((text) => text !== '');
    return { verb, name: tool, target: oneLine(parts.join(' · '), PROSE.includes(verb)) };
  }
  const target = typeof input === 'string' ? input : firstText(Object.values(fields));
  return { verb: null, name: spellOutUnseen(nameOf(tool)), target: oneLine(target) };
}

const within = (path: string, workspace: string | null): string =>
  workspace !== null && path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;

/** `mcp__server__tool` is a tool from an MCP server. */
function nameOf(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server === undefined ? tool : `${server}: ${name}`;
}

const firstText = (values: readonly Json[]): string =>
  values.find((value): value is string => typeof value === 'string') ?? '';

const LINE = 300;
/**
 * Trims only spaces that a shell would ignore as well; any others have already been spelled out.
 */
const oneLine = (text: string, isProse = false): string =>
  (isProse ? spellOutUnseenInProse : spellOutUnseen)(text.slice(0, LINE))
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .trim();

/** Keys of `t.conversation.toolState`. */
export type ToolState =
  | 'running'
  | 'asked'
  | 'ok'
  | 'failed'
  | 'denied'
  | 'refused'
  | 'cut'
  | 'withdrawn';

export function stateOf({ asking, refused, result, cut }: ToolBlock): ToolState {
  if (refused !== null) return 'refused';
  if (asking?.state === 'denied') return 'denied';
  if (result !== null) return result.ok ? 'ok' : 'failed';
  if (asking?.state === 'pending') return 'asked';
  if (asking?.state === 'withdrawn') return 'withdrawn';
  return cut ? 'cut' : 'running';
}

/** Duration without the time spent waiting for an answer. */
export function tookMs({ at, asking, result }: ToolBlock): number | null {
  if (result === null) return null;
  return Math.max(0, Date.parse(result.at) - Date.parse(asking?.decidedAt ?? at));
}
