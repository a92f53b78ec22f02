import type { Json } from '../../contract/values/json.ts';
import type { Process, ProcessExit } from '../../workspaces/process.ts';
import { agentEvent, type DriverEvent, type Turn } from '../driver.ts';
import { readOutput } from '../output/read-output.ts';
import { TextTail } from '../output/text-tail.ts';
import { Dialogue } from './dialogue.ts';
import { outcomeOf } from './ends.ts';
import { Events } from './events.ts';
import { LineReader } from './line-reader.ts';
import { parseLine } from './lines.ts';
import { Shutdown } from './shutdown.ts';
import { Steering } from './steering.ts';
import { type Counted, earlierOf, usageAfter, usageOf } from './usage.ts';
import { isTooOld } from './version.ts';

const OUTPUT = { lingerMs: 250, pieceBytes: 16 * 1024 };
const STDERR_CHARACTERS = 64 * 1024;
/** How often to report work that emits no event, so that it does not count as silence. */
const ALIVE_MS = 5000;
/** The pieces of a response that report token counts. */
const COUNTED: ReadonlySet<string> = new Set(['message_start', 'message_delta']);

/** Follows one process from its first line to its end. */
export async function* follow(
  agent: Process,
  turn: Turn,
  content: Json,
): AsyncGenerator<DriverEvent> {
  const events = new Events();
  const dialogue = new Dialogue(agent.stdin, turn.permit);
  dialogue.prompt(content);
  const leaving = new Shutdown(agent, dialogue, new Steering(turn.steer, dialogue));
  const onAbort = (): void => void leaving.stop();
  turn.signal.addEventListener('abort', onAbort, { once: true });
  if (turn.signal.aborted) onAbort();

  const hear = async function* (text: string | null): AsyncGenerator<DriverEvent> {
    if (text === null) {
      yield {
        kind: 'notice',
        text: 'A line of Claude Code’s output was too long and was skipped.',
      };
      return;
    }
    const line = parseLine(text);
    for (const event of events.take(line)) yield leaving.stopped ? cutOff(event) : event;
    if (line.type === 'stream_event' && COUNTED.has(line.event.type)) {
      const usage = usageOf(countedOf(events, turn));
      if (usage !== undefined) yield { kind: 'usage', usage };
    }
    // Must come after the events: a call is emitted before the question about it (Q16).
    dialogue.hear(line);
    await leaving.see(line);
    // Either this version of Claude Code would not ask about every call, or a tool that the message
    // needs is missing.
    const isUnfit = isTooOld(events.version) || missingTools(events, turn).length > 0;
    if (events.hasBegun && isUnfit) void agent.stop();
  };

  const stderr = new TextTail(STDERR_CHARACTERS);
  const maskStderr = turn.maskStream();
  const lines = new LineReader();
  let reportedAt = performance.now();
  try {
    for await (const { stream, text } of readOutput(agent, OUTPUT)) {
      if (stream === 'stderr') {
        stderr.push(maskStderr.push(text));
        continue;
      }
      for (const line of lines.push(text)) {
        for await (const event of hear(line)) {
          yield event;
          reportedAt = performance.now();
        }
      }
      if (performance.now() - reportedAt < ALIVE_MS) continue;
      yield { kind: 'delta', text: '' };
      reportedAt = performance.now();
    }
    const rest = lines.end();
    if (rest !== '') yield* hear(rest);
    stderr.push(maskStderr.end());
    yield* ending(events, turn, leaving, await leaving.exit(), stderr.text);
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
    leaving.done();
  }
}

/** A stopped call is reported as failed; whether it took effect is unknown (Q16). */
function cutOff(event: DriverEvent): DriverEvent {
  if (event.kind !== 'event' || event.type !== 'agent.tool_result') return event;
  const { payload } = event;
  return payload.ok ? event : agentEvent(event.type, { ...payload, cutOff: true });
}

const countedOf = (events: Events, { usageBefore: before }: Turn): Counted => ({
  ...events,
  version: events.version ?? null,
  before,
});

const missingTools = ({ tools }: Events, turn: Turn): readonly string[] =>
  tools === undefined ? [] : (turn.tools ?? []).filter((tool) => !tools.includes(tool));

function* ending(
  events: Events,
  turn: Turn,
  { stopped }: Shutdown,
  exit: ProcessExit,
  stderr: string,
): Generator<DriverEvent> {
  const { results, lastMessage, head } = events;
  const counted = countedOf(events, turn);
  const usage = usageOf(counted);
  const earlier = earlierOf(counted);
  const after = usageAfter(counted);
  const result = results.at(-1);
  const ended = {
    ...events,
    version: events.version,
    missingTools: missingTools(events, turn),
    exit,
    stderr,
    result,
    now: Date.now(),
  };
  yield {
    kind: 'end',
    end: {
      outcome: stopped ? { kind: 'stopped' } : outcomeOf(ended),
      lastMessage,
      exitCode: exit.code,
      signal: exit.signal,
      stderr,
      ...(head !== undefined && { head }),
      ...(usage !== undefined && { usage }),
      ...(earlier !== undefined && { usageEarlier: earlier }),
      ...(after !== undefined && { usageAfter: after }),
    },
  };
}
