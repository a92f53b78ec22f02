import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_PAYLOAD_MAX } from '../../src/contract/event.ts';
import type { Invocation } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

/** Processes with this word in their command line; each agent's processes carry a unique one. */
function withWord(word: string): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'stat=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(word) && !line.startsWith('Z'));
}

/** A unique time to sleep, to recognise a process by. */
const ownNap = (): string => String(randomInt(1e8, 1e9));

/** A server's peak memory, in MB. */
function peakMemory({ program }: Server): number {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

const textOf = ({ payload }: SessionEvent): string => (payload as { text: string }).text;
const textsOf = (log: readonly SessionEvent[], type: string): string[] =>
  log.filter((event) => event.type === type).map(textOf);

async function expectBounded(server: Server, session: string): Promise<void> {
  for (const event of await server.log(session)) {
    const { payload } = event;
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(EVENT_PAYLOAD_MAX);
  }
}

test('[E4] [E5] [E7] a command that floods its output slows only itself, and costs little memory', async () => {
  const server = await Server.start();
  const gate = join(temporaryDirectory(), 'gate');
  const flooded = await server.session('flooded');
  const other = await server.session('other one');
  const flood = await server.send(
    flooded.id,
    `while [ ! -e ${gate} ]; do yes | head -c 1000000; done; yes | head -c 30000000; echo; echo over`,
  );
  const lastSeq = async (): Promise<number> =>
    (await server.call<Session>('GET', `/api/v1/sessions/${flooded.id}`)).lastSeq;
  await until(async () => (await lastSeq()) > 50, { ms: 60_000, every: 100 });
  for (let i = 0; i < 3; i++) {
    const run = await server.send(other.id, `echo here ${i}`);
    expect(await server.finished(run, 60_000)).toMatchObject({
      state: 'succeeded',
      result: { output: `here ${i}\n` },
    });
  }
  expect(await server.run(flood)).toMatchObject({ state: 'running' });
  writeFileSync(gate, '');
  const run = await server.finished(flood, 240_000);
  expect(run).toMatchObject({ state: 'succeeded', attempts: 1 });
  expect((run.result as { output: string }).output).toMatch(/^[y\n]{60000,}\nover\n$/);
  const log = await server.log(flooded.id);
  const said = textsOf(log, 'agent.delta');
  expect(said.reduce((sum, text) => sum + text.length, 0)).toBeGreaterThan(30_000_000);
  expect(said.at(-1)).toMatch(/\nover\n$/);
  expect(log.filter(({ type }) => type === 'agent.message')).toMatchObject([
    { payload: { truncated: true } },
  ]);
  await expectBounded(server, flooded.id);
  // A page is limited by its size, however many events are requested.
  const path = `/api/v1/sessions/${flooded.id}/events?follow=false&limit=1000`;
  const page = await (await server.fetch('GET', path)).text();
  expect(page.length).toBeLessThan(5 * 1024 * 1024);
  expect(JSON.parse(page).items.length).toBeLessThan(1000);
  expect(JSON.parse(page).nextCursor).toBe(JSON.parse(page).items.length);
  if (process.platform === 'linux') {
    // An idle server has about 160 MB. On top of that come 8 MB of unwritten events, what is being
    // written to the database, some pages of the log, and garbage; but never all of the output.
    expect(peakMemory(server)).toBeLessThan(400);
  }
  expect(await server.stop()).toBe(0);
}, 360_000);

test('[Q9] [A9] a command that never ends and ignores signals can be cancelled, and is gone', async () => {
  const server = await Server.start();
  const session = await server.session('endless');
  const nap = ownNap();
  const commands = [
    `while :; do sleep 0.1; done; : ${nap}`,
    `trap '' INT TERM HUP; echo deaf; while :; do sleep 0.1; done; : ${nap}`,
    `echo stopped; kill -STOP $$; sleep ${nap}`,
    `sh -c "trap '' INT TERM; while :; do sleep 0.1; done; : ${nap}" & wait`,
  ];
  for (const command of commands) {
    const run = await server.send(session.id, command);
    await until(() => withWord(nap).length > 0, { ms: 20_000, every: 50 });
    await server.call('POST', `/api/v1/runs/${run}/cancel`);
    expect(await server.finished(run, 60_000)).toMatchObject({
      state: 'cancelled',
      error: { class: 'user_cancelled' },
    });
    expect(withWord(nap), command).toEqual([]);
  }
  expect(await server.stop()).toBe(0);
}, 180_000);

test('[A9] processes that a command leaves behind are gone when its run has ended', async () => {
  const server = await Server.start();
  const session = await server.session('forks away');
  const nap = ownNap();
  const left = [
    `sleep ${nap} & echo said`,
    `nohup sleep ${nap} & echo said`,
    `( ( sleep ${nap} & ) & ); echo said`,
    `( ( nohup sh -c 'trap "" TERM HUP INT; sleep ${nap}; :' >/dev/null 2>&1 & ) & ); echo said`,
    // Not on macOS.
    ...(process.platform === 'linux'
      ? [
          `setsid sleep ${nap} & echo said`,
          `setsid sh -c '(setsid sleep ${nap} &) & setsid sleep ${nap}' >/dev/null 2>&1 & echo said`,
          `for i in 1 2 3 4 5 6 7 8; do (setsid nohup sleep ${nap} >/dev/null 2>&1 &); done; echo said`,
        ]
      : []),
  ];
  for (const command of left) {
    const run = await server.send(session.id, command);
    const { state, result } = await server.finished(run, 60_000);
    expect(withWord(nap), command).toEqual([]);
    expect([state, (result as { output: string }).output.endsWith('said\n')]).toEqual([
      'succeeded',
      true,
    ]);
  }
  expect(await server.stop()).toBe(0);
}, 180_000);

test('[E5] [A1] binary output, one huge line and closed pipes end well, and only text is stored', async () => {
  const server = await Server.start();
  const finished = async (name: string, command: string) => {
    const session = await server.session(name);
    const run = await server.finished(await server.send(session.id, command), 120_000);
    await expectBounded(server, session.id);
    return { run, log: await server.log(session.id) };
  };

  const binary = await finished('binary', 'head -c 100000 /dev/urandom; head -c 100 /dev/zero');
  expect(binary.run).toMatchObject({ state: 'succeeded' });
  const texts = ['agent.delta', 'agent.message'].flatMap((type) => textsOf(binary.log, type));
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\0');
  }

  const line = await finished('one line', "head -c 5000000 /dev/zero | tr '\\0' x");
  expect(line.run).toMatchObject({ state: 'succeeded' });
  expect(textsOf(line.log, 'agent.delta').join('')).toBe('x'.repeat(5_000_000));

  const closed = await finished(
    'closed pipes',
    'echo before; exec >&- 2>&- <&-; sleep 0.3; exit 0',
  );
  expect(closed.run).toMatchObject({ state: 'succeeded', result: { output: 'before\n' } });
  const failed = await finished('closed and failed', 'exec >&- 2>&-; sleep 0.3; exit 4');
  expect(failed.run).toMatchObject({ state: 'failed', error: { class: 'command_failed' } });

  // Nobody can answer, so a command that reads its input gets the end of file at once.
  const asks = await finished('asks', 'cat; read answer || echo nobody');
  expect(asks.run).toMatchObject({ state: 'succeeded', result: { output: 'nobody\n' } });
  expect(await server.stop()).toBe(0);
}, 180_000);

test('[Q15] a command that is killed by a signal is retried, and then given up', async () => {
  const server = await Server.start();
  const session = await server.session('segfaults');
  const id = await server.send(session.id, 'echo begun; kill -SEGV $$');
  const run = await server.finished(id, 60_000);
  expect(run).toMatchObject({ state: 'dead', attempts: 3, error: { class: 'agent_crash' } });
  const { items } = await server.call<{ items: Invocation[] }>(
    'GET',
    `/api/v1/runs/${id}/invocations`,
  );
  expect(items.map(({ signal, exitCode }) => [signal, exitCode])).toEqual([
    ['SIGSEGV', null],
    ['SIGSEGV', null],
    ['SIGSEGV', null],
  ]);
  expect(await server.stop()).toBe(0);
}, 120_000);
