import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { CommandRequest, CommandResult } from '../fixtures/command-host.ts';
import { cleanEnvironment, root } from '../support/processes.ts';

let host: ChildProcess | undefined;
let answered: ((result: CommandResult | Error) => void) | undefined;

/** `Desk.done` in this test file runs its commands in one process, where possible. */
export function commandsInOneProcess(): void {
  beforeAll(() => {
    host = fork(join(root, 'test', 'fixtures', 'command-host.ts'), {
      cwd: root,
      env: cleanEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    host.on('message', (result: CommandResult) => answered?.(result));
    host.on('exit', () => answered?.(new Error('the process for commands has ended')));
  });
  afterAll(async () => {
    const ended = once(host!, 'exit');
    host!.disconnect();
    host = undefined;
    await ended;
  });
}

/** The result of the command; undefined if it needs its own process. */
export async function runInHost(request: CommandRequest): Promise<CommandResult | undefined> {
  const [name] = request.args;
  // These take over the process, or check it.
  const own = ['up', 'api', 'worker', 'migrate', 'doctor'].includes(name ?? '');
  if (host === undefined || answered !== undefined || own) return undefined;
  const answer = new Promise<CommandResult | Error>((resolve) => {
    answered = resolve;
  });
  host.send(request);
  const result = await answer;
  answered = undefined;
  if (result instanceof Error) throw result;
  return result;
}
