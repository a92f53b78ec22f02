import { randomUUID } from 'node:crypto';
import { CAPABILITIES } from '../../contract/agent-kinds.ts';
import { type ErrorClass, isBusy } from '../../contract/outcome.ts';
import type { Json } from '../../contract/values/json.ts';
import { type Process, StartError } from '../../workspaces/process.ts';
import { type AgentDriver, type DriverEvent, NOTHING_HEARD, type Turn } from '../driver.ts';
import { type ArgumentFiles, writeArgumentFiles } from './argument-files.ts';
import { type Conversation, commandLine, environment } from './command-line.ts';
import { follow } from './follow.ts';
import { contentOf } from './prompt.ts';
import { findTranscript } from './transcript.ts';
import { INSTALL } from './version.ts';

export interface ClaudeSettings {
  /** The path of Claude Code, used without a check; by default, Baton searches for it. */
  readonly program?: string | undefined;
  /** How many times Claude Code retries a call to the model. */
  readonly retries?: number;
}

const RETRIES = 2;

/** Runs the user's own Claude Code with their own login or key, over stream-json in both directions (A2). */
export const claudeDriver = (settings: ClaudeSettings = {}): AgentDriver => ({
  kind: 'claude',
  capabilities: CAPABILITIES.claude,
  run: (turn) => run(turn, settings),
});

async function* run(turn: Turn, settings: ClaudeSettings): AsyncGenerator<DriverEvent> {
  if (turn.signal.aborted) {
    yield { kind: 'end', end: { ...NOTHING_HEARD, outcome: { kind: 'stopped' } } };
    return;
  }
  let program: string | null;
  let conversation: Conversation;
  try {
    program = settings.program ?? (await turn.runtime.find('claude'));
    conversation = await conversationOf(turn);
  } catch (error) {
    const errorClass = isBusy(error) ? 'overloaded' : 'unknown';
    yield failed(errorClass, `Claude Code could not be prepared: ${String(error)}`);
    return;
  }
  if (program === null) {
    yield failed('agent_unavailable', `Claude Code was not found. ${FIX}`);
    return;
  }
  let content: Json;
  try {
    content = await contentOf(turn);
  } catch (error) {
    const errorClass = isBusy(error) ? 'overloaded' : 'invalid_request';
    yield failed(errorClass, `An attached file could not be read: ${String(error)}`);
    return;
  }
  let files: ArgumentFiles;
  try {
    files = await writeArgumentFiles(turn);
  } catch (error) {
    const errorClass = isBusy(error) ? 'overloaded' : 'agent_unavailable';
    yield failed(errorClass, `Could not write the files for Claude Code: ${String(error)}`);
    return;
  }
  let agent: Process;
  try {
    agent = await turn.runtime.spawn(commandLine(program, turn, conversation, files), {
      env: environment(settings.retries ?? RETRIES),
    });
  } catch (error) {
    await files.remove();
    yield startFailure(error);
    return;
  }
  try {
    yield* follow(agent, turn, content);
  } catch (error) {
    yield failed('unknown', `Could not read Claude Code’s output: ${String(error)}`);
  } finally {
    await agent.stop();
    await files.remove();
  }
}

async function conversationOf({ conversation, fork, runtime }: Turn): Promise<Conversation> {
  if (conversation !== null) return { how: 'resume', id: conversation };
  if (fork === undefined) return { how: 'begin', id: randomUUID() };
  const source = (await findTranscript(fork.conversation, runtime)) ?? fork.conversation;
  return { how: 'fork', id: randomUUID(), source, head: fork.head };
}

const FIX = `Install it (${INSTALL}) and sign in, or set BATON_CLAUDE_PATH to its path. The shell agent (--agent shell) works without it.`;

function startFailure(error: unknown): DriverEvent {
  if (!(error instanceof StartError)) return failed('unknown', String(error));
  if (error.busy) return failed('overloaded', error.message);
  return failed('agent_unavailable', `${error.message} ${FIX}`);
}

const failed = (errorClass: ErrorClass, message: string): DriverEvent => ({
  kind: 'end',
  end: { ...NOTHING_HEARD, outcome: { kind: 'failed', error: { class: errorClass, message } } },
});
