import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  type Conversation,
  commandLine,
  environment,
} from '../../../src/agents/claude/command-line.ts';
import type { Turn } from '../../../src/agents/driver.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import { mustBe } from '../../workload.ts';
import type { ClaudeScene } from './claude.ts';

/** After this time Claude Code counts as hung. */
const LONGEST_MS = 120_000;
const RETRIES = 2;

interface Line {
  readonly type: string;
  readonly is_error?: boolean;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string; readonly input: Json };
}

export interface BareRun {
  readonly message: string;
  readonly cwd: string;
  readonly conversation: Conversation;
  /** Called for each tool; the tool is allowed when it resolves. */
  readonly permit?: () => Promise<void>;
}

/** Runs Claude Code to its end, called as Baton calls it, but without Baton. */
export async function runBare(scene: ClaudeScene, run: BareRun): Promise<void> {
  const turn = { agent: { kind: 'claude' }, message: run.message } as Turn;
  const [program, ...args] = commandLine(scene.program, turn, run.conversation);
  const child = spawn(program!, args, {
    cwd: run.cwd,
    // In its own process session, as under Baton: some schedulers divide time by session.
    detached: true,
    env: { ...scene.environment, ...environment(RETRIES) },
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  say(child, {
    type: 'user',
    message: { role: 'user', content: run.message },
    parent_tool_use_id: null,
    uuid: randomUUID(),
  });
  let results = 0;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    if (line.type === 'control_request') void allow(child, line, run);
    if (line.type !== 'result') return;
    if (line.is_error === false) results++;
    child.stdin.end();
  });
  const [code] = (await closed) as [number | null];
  if (code !== 0) throw new Error(`Claude Code ended with ${code}: ${stderr}`);
  mustBe('successful results of one message', results, 1);
}

async function allow(
  child: ChildProcessWithoutNullStreams,
  { request_id, request }: Line,
  { permit }: BareRun,
): Promise<void> {
  await permit?.();
  const response = { behavior: 'allow', updatedInput: request!.input };
  say(child, {
    type: 'control_response',
    response: { subtype: 'success', request_id: request_id!, response },
  });
}

const say = (child: ChildProcessWithoutNullStreams, line: Json): boolean =>
  child.stdin.write(`${JSON.stringify(line)}\n`);
