import { ExportLine } from '../../src/contract/api/sessions.ts';
import type { Json } from '../../src/contract/json.ts';
import type { RunState } from '../../src/contract/run.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session, SessionStatus } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';

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

/** An exported session as readable text: messages, answers and tool calls. */
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
      if (event.type === 'run.start' && run !== undefined && !started.has(run.id)) {
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

type Fields = Readonly<Record<string, Json | undefined>>;

/** One event as text; events meant only for programs are left out. */
function eventText(
  { type, payload }: SessionEvent,
  run: RunView | undefined,
  words: MarkdownWords,
): string[] {
  const fields: Fields =
    typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : {};
  const text = typeof fields['text'] === 'string' ? fields['text'] : '';
  const tool = typeof fields['tool'] === 'string' ? fields['tool'] : '';
  switch (type) {
    case 'agent.message':
      return text.trim() === '' ? [] : [run?.type === 'agent' ? text.trimEnd() : fenced(text)];
    case 'agent.thinking':
      return text.trim() === '' ? [] : [quoted(`*${words.thinking}*\n\n${text.trim()}`)];
    case 'agent.notice':
      return text.trim() === '' ? [] : [quoted(text.trim())];
    case 'run.steered':
      return [quoted(text)];
    case 'agent.tool_use':
      return [`**${tool}**`, fenced(shown(fields['input']))];
    case 'agent.tool_result':
      return [...(fields['ok'] === false ? [`*${words.failed}*`] : []), fenced(text)];
    case 'policy.denied':
      return [`*${words.denied(tool)}*`];
    case 'approval.decided':
      return [`*${fields['decision'] === 'allow' ? words.allowed : words.refused}*`];
    case 'run.finished':
      return run === undefined ? [] : [ended(run, words), '---'];
    default:
      return [];
  }
}

function ended({ state, startedAt, finishedAt, costUsd, error }: RunView, words: MarkdownWords) {
  const taken =
    startedAt === null || finishedAt === null
      ? []
      : [words.duration(Date.parse(finishedAt) - Date.parse(startedAt))];
  const cost = costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : [];
  const why = error === null ? [] : [error.message];
  return `*${[words.run[state], ...taken, ...cost, ...why].join(' · ')}*`;
}

/** If there is a command, only the command. */
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
  return `${fence}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
