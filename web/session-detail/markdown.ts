import { type EventFields, fieldsOf, textIn } from '../../src/client/fields.ts';
import { ExportLine } from '../../src/contract/api/sessions.ts';
import type { EventType } from '../../src/contract/events/table.ts';
import { typeOf } from '../../src/contract/events/type-of.ts';
import type { RunState } from '../../src/contract/run.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session, SessionStatus } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import type { Json } from '../../src/contract/values/json.ts';

export interface MarkdownWords {
  readonly status: Record<SessionStatus, string>;
  readonly run: Record<RunState, string>;
  readonly created: string;
  readonly cost: string;
  readonly agent: string;
  readonly noRuns: string;
  readonly thinking: string;
  readonly failed: string;
  readonly denied: (tool: string) => string;
  readonly allowed: string;
  readonly refused: string;
  readonly time: (at: string) => string;
  readonly duration: (ms: number) => string;
}

/** An exported session as readable text: messages, responses and tool calls. */
export function toMarkdown(ndjson: string, words: MarkdownWords): string {
  const lines = ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ExportLine.parse(JSON.parse(line)));
  const runs = new Map<string, RunView>();
  const parts: string[] = [];
  const started = new Set<string>();
  for (const line of lines) {
    if ('session' in line) parts.push(...head(line.session, words));
    else if ('run' in line) runs.set(line.run.id, line.run);
    else {
      const { event } = line;
      const run = event.runId === null ? undefined : runs.get(event.runId);
      if (typeOf(event) === 'run.start' && run !== undefined && !started.has(run.id)) {
        started.add(run.id);
        parts.push(`## ${words.time(event.at)}`, quoted(run.message ?? run.type));
      }
      parts.push(...eventText(event, run, words));
    }
  }
  if (started.size === 0) parts.push(words.noRuns);
  return `${parts.join('\n\n')}\n`;
}

function head(session: Session, words: MarkdownWords): string[] {
  const { agent } = session;
  const facts = [
    words.status[session.status],
    `${words.created}: ${words.time(session.createdAt)}`,
    `${words.agent}: ${[agent.kind, agent.model].filter((each) => each !== undefined).join(' ')}`,
    `${words.cost}: $${session.costUsd.toFixed(2)}`,
    `\`${session.id}\``,
  ];
  const list = facts.map((fact) => `- ${fact}`).join('\n');
  return [`# ${session.name}`, ...(session.description === '' ? [] : [session.description]), list];
}

/** One event as text; events meant only for programs are left out. */
function eventText(event: SessionEvent, run: RunView | undefined, words: MarkdownWords): string[] {
  const write = Object.hasOwn(TEXTS, event.type) ? TEXTS[event.type as EventType] : undefined;
  return write?.(fieldsOf(event.payload), words, run) ?? [];
}

type Write<T extends EventType> = (
  fields: EventFields<T>,
  words: MarkdownWords,
  run: RunView | undefined,
) => string[];

const TEXTS: { readonly [T in EventType]?: Write<T> } = {
  'agent.message': (fields, _, run) => {
    const text = textIn(fields, 'text');
    if (text.trim() === '') return [];
    return [run?.type === 'agent' ? text.trimEnd() : fenced(text)];
  },
  'agent.thinking': (fields, words) => {
    const text = textIn(fields, 'text').trim();
    return text === '' ? [] : [quoted(`*${words.thinking}*\n\n${text}`)];
  },
  'agent.notice': (fields) => {
    const text = textIn(fields, 'text').trim();
    return text === '' ? [] : [quoted(text)];
  },
  'run.steered': (fields) => [quoted(textIn(fields, 'text'))],
  'agent.tool_use': (fields) => [`**${textIn(fields, 'tool')}**`, fenced(shown(fields.input))],
  'agent.tool_result': (fields, words) => [
    ...(fields.ok === false ? [`*${words.failed}*`] : []),
    fenced(textIn(fields, 'text')),
  ],
  'policy.denied': (fields, words) => [`*${words.denied(textIn(fields, 'tool'))}*`],
  'approval.decided': (fields, words) => [
    `*${fields.decision === 'allow' ? words.allowed : words.refused}*`,
  ],
  'run.finished': (_, words, run) => (run === undefined ? [] : [ended(run, words), '---']),
};

function ended({ state, startedAt, finishedAt, costUsd, error }: RunView, words: MarkdownWords) {
  const taken =
    startedAt === null || finishedAt === null
      ? []
      : [words.duration(Date.parse(finishedAt) - Date.parse(startedAt))];
  const cost = costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : [];
  const why = error === null ? [] : [error.message];
  return `*${[words.run[state], ...taken, ...cost, ...why].join(' · ')}*`;
}

/** The input as text; if it contains a command, only the command. */
function shown(input: Json | undefined): string {
  const command =
    typeof input === 'object' && input !== null && 'command' in input ? input['command'] : null;
  return typeof command === 'string' ? command : JSON.stringify(input ?? null, null, 2);
}

/** Uses a fence longer than any in the text. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  // Not `/\n+$/`, which takes quadratic time for text with many line breaks before its end.
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return `${fence}\n${text.slice(0, end)}\n${fence}`;
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
