import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment, root, start, temporaryDirectory } from '../support/processes.ts';

const MAIN = 'src/cli/main.ts';
const up = (): string[] => [MAIN, 'up', '--port', '0', '--data-dir', temporaryDirectory()];

async function ask(url: string): Promise<number> {
  const answer = await fetch(new URL('/api/v1/sessions', url), {
    method: 'POST',
    signal: AbortSignal.timeout(5000),
  });
  await answer.arrayBuffer();
  return answer.status;
}

test.runIf(process.platform === 'linux')(
  '[O4] [O5] a log on a full disk does not end the server',
  async () => {
    const shell = ['-c', 'exec "$@" 2>/dev/full', 'sh', process.execPath, ...up()];
    const program = start('/bin/sh', shell);
    const url = await program.line('Baton is ready: ');
    expect(await ask(url)).toBe(401);
    process.kill(program.pid, 'SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
  },
);

test('[O4] a log that nobody reads does not hold up the server; the last lines come when it is read', async () => {
  const child = spawn(process.execPath, up(), {
    cwd: root,
    env: { ...cleanEnvironment(), BATON_LOG_LEVEL: 'debug', BATON_STRANGER_LIMIT: '100000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  let ready = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ready += text;
  });
  while (!ready.includes('\n')) await once(child.stdout, 'data');
  const url = /http:\S+/.exec(ready)?.[0] ?? '';
  // More lines than a pipe and its two sockets take.
  for (let i = 0; i < 100; i++) {
    const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(url)));
    expect(new Set(statuses)).toEqual(new Set([401]));
  }
  child.kill('SIGTERM');
  await delay(200);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  expect(await exit).toEqual([0, null]);
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string });
  expect(lines.filter(({ msg }) => msg === 'Request answered')).toHaveLength(2000);
  expect(lines.at(-1)?.msg).toBe('Stopped');
});

test('[O4] a crash loses no line of the log, even if its reader is slow', async () => {
  const script = `
    const { createLog } = await import('./src/cli/node/log.ts');
    const log = createLog('info', (line) => line);
    for (let n = 1; n <= 3000; n++) log.info({ n }, 'x'.repeat(200));
    throw new Error('crashed');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'close');
  await delay(100);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  expect(await exit).toEqual([1, null]);
  expect(log.match(/"n":\d+/g)?.at(-1)).toBe('"n":3000');
});
