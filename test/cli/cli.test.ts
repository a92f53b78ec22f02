import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import type { MessageReceipt } from '../../src/contract/message.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { until } from '../support/processes.ts';
import { freePort, TOKEN } from '../support/server-rig.ts';
import { Desk, ended } from './cli-rig.ts';
import { commandsInOneProcess } from './command-host.ts';

// Many commands, each a process, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });
commandsInOneProcess();

const linesOf = <T>(text: string): T[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

test('[S9] [C1] a session can be addressed by its name in any script, even one that looks like an id', async () => {
  const desk = new Desk();
  await desk.server();
  const make = (name: string) =>
    desk.json<MessageReceipt>(['run', '--agent', 'shell', '--detach', '--name', name, 'true']);
  const like = '01890000-0000-7000-8000-000000000000';
  const names = ['Überprüfung #12', '-v2.0 "quoted" $HOME', like, 'cafe123', like.slice(0, 8)];
  const made = new Map<string, string>();
  for (const name of names) made.set(name, (await make(name)).sessionId);
  // As sent by a terminal that composes characters differently.
  made.set(names[0]!.normalize('NFD'), made.get(names[0]!)!);
  for (const [name, id] of made) {
    const { code, stdout } = await desk.done(['send', '--json', '--', name, 'true']);
    expect([name, code, (JSON.parse(stdout) as MessageReceipt).sessionId]).toEqual([name, 0, id]);
  }
});

describe('baton run', () => {
  test('[C1] shows what the agent writes, and exits with the outcome of the run', async () => {
    const desk = new Desk();
    await desk.server();
    const directory = desk.path('work');
    mkdirSync(directory);
    const command = 'echo hi; echo oops >&2; pwd';
    const good = await desk.done(['run', '--agent', 'shell', '--dir', directory, command]);
    expect(good).toEqual({ code: 0, stdout: `hi\n${directory}\n`, stderr: 'oops\n' });

    const bad = await desk.done(['run', '--agent', 'shell', 'printf no; exit 3']);
    expect([bad.code, bad.stdout]).toEqual([1, 'no\n']);
    expect(bad.stderr).toMatch(/^Failed: .*3.*\(command_failed\)\n$/);

    const piped = await ended(desk.shell('echo "echo from a pipe" | baton run --agent shell'));
    expect(piped).toMatchObject({ code: 0, stdout: 'from a pipe\n' });
    const names = (await desk.json<Session[]>(['ls'])).map(({ name }) => name);
    expect(names).toHaveLength(3);
    for (const name of names) expect(name).toMatch(/^run-\d{8}-\d{6}-[0-9a-f]{4}$/);
  });

  test('[C1] shows text as it arrives; --detach does not wait, --json prints events', async () => {
    const desk = new Desk();
    await desk.server();
    const run = desk.baton([
      'run',
      '--agent',
      'shell',
      `echo first; ${desk.gated('gate')}; echo last`,
    ]);
    await run.line('first');
    expect(run.stdout()).toBe('first\n');
    desk.open('gate');
    expect(await ended(run)).toEqual({ code: 0, stdout: 'first\nlast\n', stderr: '' });

    const flags = ['--agent', 'shell', '--name', 'later', '--detach'];
    const receipt = await desk.json<MessageReceipt>(['run', ...flags, 'echo later']);
    expect(receipt).toMatchObject({ status: 'queued', position: 0 });
    const { code, stdout } = await desk.done(['run', '--session', 'later', '--json', 'echo more']);
    expect(code).toBe(0);
    const types = linesOf<SessionEvent>(stdout).map(({ type }) => type);
    expect(types[0]).toBe('run.queued');
    expect(types).toContain('agent.message');
    expect(types.at(-1)).toBe('done');
  });

  test('[Q9] Ctrl-C once cancels the run and waits for it to end', async () => {
    const desk = new Desk();
    await desk.server();
    const run = desk.baton(['run', '--agent', 'shell', desk.gated('gate')]);
    await desk.begun('gate');
    process.kill(-run.pid, 'SIGINT');
    const { code, stderr } = await ended(run);
    expect(code).toBe(130);
    expect(stderr).toMatch(/^Cancelling\. Press Ctrl-C again to exit now/);
    expect(stderr).toContain('\nCancelled');
    const [session] = await desk.json<Session[]>(['ls']);
    expect(session?.unfinishedRuns).toBe(0);
  });

  test('[Q9] Ctrl-C twice exits at once, and the run is still cancelled', async () => {
    const desk = new Desk();
    await desk.server();
    const stubborn = `trap '' INT TERM; ${desk.gated('gate')}`;
    const run = desk.baton(['run', '--agent', 'shell', '--name', 'stubborn', stubborn]);
    await desk.begun('gate');
    process.kill(-run.pid, 'SIGINT');
    await until('the first was handled', () => run.stderr().includes('Cancelling'));
    process.kill(-run.pid, 'SIGINT');
    const { code, stderr } = await ended(run);
    expect(code).toBe(130);
    // It exited before the run had ended.
    expect(stderr).not.toContain('Cancelled');
    const log = await desk.done(['logs', '-f', '--json', await onlyRun(desk, 'stubborn')]);
    expect(linesOf<SessionEvent>(log.stdout).at(-1)).toMatchObject({
      type: 'done',
      payload: { state: 'cancelled' },
    });
  });

  test('[E3] survives the death of the server, and says that the run starts again', async () => {
    const desk = new Desk();
    const args = ['--port', String(await freePort())];
    const first = await desk.server({ args });
    const run = desk.baton(['run', '--agent', 'shell', `echo here; ${desk.gated('gate')}`]);
    await run.line('here');
    await first.kill();
    await until('the loss is noticed', () => run.stderr().includes('Lost the connection'), 20_000);
    await desk.server({ args });
    desk.open('gate');
    const { code, stdout, stderr } = await ended(run);
    expect([code, stdout]).toEqual([0, 'here\nhere\n']);
    expect(stderr).toContain('Reconnected to the server.');
    expect(stderr).toContain('The worker stopped; the run will start again.');
  });

  test.each([
    [['run'], 'No message was given.'],
    [['run', 'two', 'words'], 'There is more than one message.'],
    [['run', '--agent', 'robot', 'x'], '--agent has an invalid value: "robot".'],
    [['run', '--sesion', 'x', 'y'], 'Unknown flag: --sesion.'],
    [['run', '--session', 'x', '--name', 'abc', 'y'], '--session and --name cannot be combined.'],
    [['send'], 'Missing argument: <session>.'],
    [['ls', 'x'], 'Unexpected argument: "x".'],
  ])('[C1] wrong usage exits with 2 and prints three lines: %j', async (args, what) => {
    const { code, stdout, stderr } = await new Desk().done(args);
    const lines = stderr.trimEnd().split('\n');
    expect([code, stdout, lines.length, lines[0]]).toEqual([2, '', 3, `error: ${what}`]);
  });

  test('[C1] a refusal by the server exits with 2 and prints three lines', async () => {
    const desk = new Desk();
    await desk.server();
    await desk.done(['run', '--agent', 'shell', '--name', 'taken', 'true']);
    await desk.done(['run', '--agent', 'shell', '--name', 'other', 'true']);
    const [session] = await desk.json<Session[]>(['ls']);
    const both = session?.id.slice(0, 6) ?? '';
    for (const [args, what] of [
      [['run', '--session', 'nobody', 'x'], 'There is no session "nobody".'],
      [['logs', both], `"${both}" matches several sessions.`],
      [['cancel', 'taken'], 'Nothing is running in session "taken".'],
      [
        ['run', '--agent', 'shell', '--name', 'taken', 'x'],
        'already have a session with this name',
      ],
    ] as const) {
      const { code, stdout, stderr } = await desk.done([...args]);
      const lines = stderr.trimEnd().split('\n');
      expect([code, stdout, lines.length], stderr).toEqual([2, '', 3]);
      expect(lines[0]).toContain(what);
    }
  });
});

async function onlyRun(desk: Desk, session: string): Promise<string> {
  const { stdout } = await desk.done(['logs', session, '--json']);
  const events = linesOf<SessionEvent>(stdout);
  return events.find(({ type }) => type === 'run.queued')?.runId ?? '';
}

describe('sessions', () => {
  test('[C1] ls lists sessions, logs shows their events', async () => {
    const desk = new Desk();
    await desk.server();
    await desk.done(['run', '--agent', 'shell', '--name', '修正 one', 'echo one']);
    const [session] = await desk.json<Session[]>(['ls']);
    const id = session?.id ?? '';
    const { code, stdout } = await desk.done(['ls']);
    expect([code, stdout.split('\t').slice(0, 5)]).toEqual([
      0,
      [id, '修正 one', 'ready', 'shell', '0'],
    ]);
    expect(await desk.json<Session[]>(['ls', '--status', 'error'])).toEqual([]);

    const log = (await desk.done(['logs', '修正 one'])).stdout.split('\n');
    expect(log[0]).toMatch(/^\d\d:\d\d:\d\d {2}Session created: 修正 one$/);
    expect(log).toContain('one');
    const events = linesOf<SessionEvent>((await desk.done(['logs', id, '--json'])).stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const rest = await desk.done(['logs', id, '--json', '--after', String(events.length - 1)]);
    expect(linesOf(rest.stdout)).toEqual(events.slice(-1));

    const headed = await ended(desk.shell(`baton logs ${id} | head -n 1; echo $?`));
    expect(headed).toEqual({ code: 0, stdout: `${log[0]}\n0\n`, stderr: '' });
  });

  test('[C1] send queues, cancel cancels', async () => {
    const desk = new Desk();
    await desk.server();
    const flags = ['--agent', 'shell', '--name', 'busy', '--detach'];
    const first = await desk.json<MessageReceipt>(['run', ...flags, desk.gated('gate')]);
    await desk.begun('gate');
    const refused = await desk.done(['send', 'busy', '--on-busy', 'reject', 'echo no']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('session_busy');
    const prefix = first.sessionId.slice(0, 13);
    const queued = await desk.json<MessageReceipt>(['send', prefix, 'echo two']);
    expect(queued).toMatchObject({ sessionId: first.sessionId, position: 1 });
    const gone = await desk.json<RunView>(['cancel', queued.runId]);
    expect(gone).toMatchObject({ id: queued.runId, state: 'cancelled' });

    const asked = await desk.done(['cancel', 'busy']);
    expect(asked.stdout).toBe(`Stopping run ${first.runId}.\n`);
    const log = await desk.done(['logs', '-f', first.runId]);
    expect([log.code, log.stdout]).toEqual([0, expect.stringContaining('Cancelled')]);
    const again = await desk.done(['cancel', first.runId]);
    expect([again.code, again.stderr.split('\n').length]).toEqual([2, 4]);
    const followed = await desk.done(['send', '-f', 'busy', 'echo three; exit 1']);
    expect([followed.code, followed.stdout]).toEqual([1, 'three\n']);
  });
});

describe('which server', () => {
  test('[C1] without a server: three lines and exit code 3', async () => {
    const desk = new Desk();
    for (const args of [['ls'], ['run', 'x'], ['logs', 'x']]) {
      const { code, stdout, stderr } = await desk.done(args);
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([3, '', 3]);
      expect(stderr).toContain('"npm start" or "baton up"');
    }
    // A killed server leaves its address behind.
    const server = await desk.server();
    await server.kill();
    expect(existsSync(join(desk.dataDir, 'address'))).toBe(true);
    const { code, stderr } = await desk.done(['ls']);
    expect([code, stderr.split('\n')[0]]).toEqual([3, 'error: No Baton server is running here.']);
  });

  test('[C1] login stores only an accepted token, logout removes it', async () => {
    const desk = new Desk();
    const { url } = await desk.server({ env: { BATON_ADMIN_TOKEN: TOKEN } });
    const elsewhere = new Desk();
    const wrong = await elsewhere.done(['login', '--url', url], { BATON_TOKEN: 'wrong-token' });
    expect([wrong.code, wrong.stderr.split('\n')[0]]).toEqual([
      2,
      'error: The server did not accept the token.',
    ]);
    expect(existsSync(elsewhere.path('.config'))).toBe(false);
    expect((await elsewhere.done(['ls', '--url', url], { BATON_TOKEN: TOKEN })).code).toBe(0);

    const login = await ended(elsewhere.shell(`echo ${TOKEN} | baton login --url ${url}/`));
    expect(login).toMatchObject({ code: 0, stderr: '' });
    expect(login.stdout).not.toContain(TOKEN);
    const kept = elsewhere.path('.config/baton/credentials.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    const hello = await elsewhere.done(['run', '--agent', 'shell', 'echo hello']);
    expect([hello.code, hello.stdout]).toEqual([0, 'hello\n']);
    expect((await elsewhere.done(['logout'])).stdout).toContain(`Removed ${kept}`);
    expect((await elsewhere.done(['ls'])).code).toBe(3);
  });
});

describe('help', () => {
  test('[C1] covers every command; an unknown one gets the closest suggested', async () => {
    const desk = new Desk();
    const { stdout } = await desk.done(['help']);
    const names = [...stdout.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name]) => name ?? '');
    expect(names).toEqual(expect.arrayContaining(['up', 'api', 'worker', 'run', 'logs', 'doctor']));
    const run = await desk.done(['help', 'run']);
    expect(run.stdout).toContain('Usage: baton run [flags] [--] "message"');
    expect(await desk.done(['run', '--help'])).toEqual(run);
    const { code, stderr } = await desk.done(['rnu', 'x']);
    expect([code, stderr.split('\n')[2]]).toEqual([2, 'What to do: run "baton run".']);
  });
});

describe('baton doctor and migrate', () => {
  interface Report {
    healthy: boolean;
    findings: { name: string; state: string; text: string; fix?: string }[];
  }
  const stateOf = ({ findings }: Report, name: string) =>
    findings.find((finding) => finding.name === name)?.state;

  test('[O6] doctor before the first start, while a server runs, and with a problem', async () => {
    const desk = new Desk();
    const before = await desk.json<Report>(['doctor', '--port', '0']);
    expect(before.healthy).toBe(true);
    expect(stateOf(before, 'database')).toBe('note');
    expect(existsSync(desk.dataDir)).toBe(false);

    const { url } = await desk.server();
    const port = new URL(url).port;
    const running = await desk.json<Report>(['doctor', '--port', port]);
    expect(
      ['port', 'database', 'secret key', 'admin token', 'leftovers'].map((name) =>
        stateOf(running, name),
      ),
    ).toEqual(Array.from({ length: 5 }, () => 'ok'));

    writeFileSync(join(desk.home, 'not-a-database'), 'x'.repeat(5000));
    const database = `sqlite:${join(desk.home, 'not-a-database')}`;
    const sick = await desk.done(['doctor', '--port', port, '--database', database]);
    expect(sick.code).toBe(1);
    expect(sick.stdout).toMatch(/^✗ database .*\n +→ restore a backup/m);
    expect(sick.stdout).toMatch(/1 problem\.\n$/);
  });

  test('[O3] migrate lists what it applied, applies it once, and refuses a newer database', async () => {
    const desk = new Desk();
    const first = await desk.json<{ applied: string[] }>(['migrate']);
    expect(first.applied[0]).toBe('0001-baseline');
    expect(await desk.json(['migrate'])).toEqual({ applied: [] });

    const database = new DatabaseSync(join(desk.dataDir, 'baton.db'));
    database.exec("INSERT INTO migrations VALUES (9999, 'future', 0)");
    database.close();
    const newer = await desk.done(['migrate']);
    expect(newer.code).toBe(1);
    expect(newer.stderr).toContain('migration 9999 (future)');
    expect(newer.stderr).toContain('database_newer');
    expect(newer.stderr).not.toContain(' at ');
    expect((await desk.done(['doctor', '--port', '0'])).stdout).toMatch(/✗ database .*9999/);
  });
});
