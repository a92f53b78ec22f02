import { CAPABILITIES } from '../../contract/agent-kinds.ts';
import type { RunError } from '../../contract/outcome.ts';
import { type Process, type ProcessExit, StartError } from '../../workspaces/process.ts';
import {
  type AgentDriver,
  type DriverEnd,
  type DriverEvent,
  NOTHING_HEARD,
  type Turn,
} from '../driver.ts';
import { readOutput } from '../output/read-output.ts';
import { TextTail } from '../output/text-tail.ts';
import { commandLine } from './command-line.ts';

export interface ShellSettings {
  readonly lingerMs: number;
  readonly pieceBytes: number;
  /** How many characters of output to keep in the message. */
  readonly messageTail: number;
  /** How many characters to keep in the run's result and in the invocation. */
  readonly resultTail: number;
}

export const SHELL_SETTINGS: ShellSettings = {
  lingerMs: 250,
  pieceBytes: 16 * 1024,
  messageTail: 128 * 1024,
  resultTail: 64 * 1024,
};

/** Runs the message as a command. Needs no account, so a new user can try everything (A1). */
export const shellDriver = (settings: ShellSettings = SHELL_SETTINGS): AgentDriver => ({
  kind: 'shell',
  capabilities: CAPABILITIES.shell,
  run: (turn) => run(turn, settings),
});

async function* run(turn: Turn, settings: ShellSettings): AsyncGenerator<DriverEvent> {
  if (turn.signal.aborted) {
    yield { kind: 'end', end: { ...NOTHING_HEARD, outcome: { kind: 'stopped' } } };
    return;
  }
  let process: Process;
  try {
    const argv = commandLine(turn.agent, turn.message);
    process = await turn.runtime.spawn(argv, { interrupts: 'group' });
  } catch (error) {
    yield { kind: 'end', end: { ...NOTHING_HEARD, outcome: failed(startFailure(error)) } };
    return;
  }
  try {
    yield* follow(process, turn, settings);
  } catch (error) {
    const message = `Could not read the output of the command: ${String(error)}`;
    const outcome = failed({ class: 'unknown', message });
    yield { kind: 'end', end: { ...NOTHING_HEARD, outcome } };
  } finally {
    await process.stop();
  }
}

async function* follow(
  process: Process,
  turn: Turn,
  settings: ShellSettings,
): AsyncGenerator<DriverEvent> {
  process.stdin.end();
  let ended: ProcessExit | undefined;
  let asked = false;
  void process.exited.then((exit) => {
    ended = exit;
  });
  // Outside the loop, because a caller that aborts may have stopped consuming events.
  const onAbort = (): void => {
    asked = ended === undefined;
    void process.stop();
  };
  turn.signal.addEventListener('abort', onAbort, { once: true });
  if (turn.signal.aborted) onAbort();

  const masks = { stdout: turn.maskStream(), stderr: turn.maskStream() };
  const whole = new TextTail(settings.messageTail);
  const stderr = new TextTail(settings.resultTail);
  const keep = (stream: 'stdout' | 'stderr', masked: string): void => {
    whole.push(masked);
    if (stream === 'stderr') stderr.push(masked);
  };
  try {
    yield { kind: 'init', conversation: null };
    for await (const { stream, text } of readOutput(process, settings)) {
      keep(stream, masks[stream].push(text));
      yield { kind: 'delta', text, stream };
    }
    for (const stream of ['stdout', 'stderr'] as const) keep(stream, masks[stream].end());
    // A command may close its output and keep running.
    const exit = await process.exited;
    await process.stop();
    const { text, cut } = whole;
    if (text !== '') yield { kind: 'message', text, ...(cut && { truncated: true }) };
    const output = lastOf(text, settings.resultTail);
    yield {
      kind: 'end',
      end: {
        outcome: asked ? { kind: 'stopped' } : outcomeOf(exit, output),
        lastMessage: output === '' ? null : output,
        exitCode: exit.code,
        signal: exit.signal,
        stderr: stderr.text,
      },
    };
  } finally {
    turn.signal.removeEventListener('abort', onAbort);
  }
}

function outcomeOf({ code, signal }: ProcessExit, output: string): DriverEnd['outcome'] {
  if (code === 0) return { kind: 'succeeded', result: { exitCode: 0, output } };
  if (code === null) {
    return failed({ class: 'agent_crash', message: `The command was killed by ${signal}.` });
  }
  const message = `The command exited with code ${code}.`;
  return failed({ class: 'command_failed', message });
}

function startFailure(error: unknown): RunError {
  if (!(error instanceof StartError)) return { class: 'unknown', message: String(error) };
  const { busy, missing, message } = error;
  return {
    class: busy ? 'overloaded' : 'agent_unavailable',
    message: missing ? `${message} Install it, or correct the command.` : message,
  };
}

const failed = (error: RunError): DriverEnd['outcome'] => ({ kind: 'failed', error });

function lastOf(text: string, characters: number): string {
  const tail = new TextTail(characters);
  tail.push(text);
  return tail.text;
}
