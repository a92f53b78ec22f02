import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { root, start, temporaryDirectory } from '../support/processes.ts';

// Runs the sources, not a bundle.
vi.stubEnv('NODE_OPTIONS', '');

function baton(args: string[], env: NodeJS.ProcessEnv = {}) {
  return start(process.execPath, [join(root, 'bin', 'baton.mjs'), ...args], { env });
}

async function failure(args: string[], env: NodeJS.ProcessEnv = {}) {
  const program = baton(args, env);
  const { code } = await program.exit;
  expect(program.stdout()).toBe('');
  return { code, lines: program.stderr().trimEnd().split('\n') };
}

describe('an impossible start is refused in three lines', () => {
  test('[O1] unknown flag', async () => {
    const { code, lines } = await failure(['up', '--prot', '1']);
    expect(code).toBe(2);
    expect(lines).toEqual([
      'error: Unknown flag: --prot.',
      'Why: Baton has no such setting; the closest is --port.',
      'What to do: write --port, or remove --prot.',
    ]);
  });

  test('[O1] unknown variable', async () => {
    const { code, lines } = await failure(['up'], { BATON_PROT: '1' });
    expect(code).toBe(2);
    expect(lines[0]).toBe('error: Unknown environment variable: BATON_PROT.');
  });

  test('[O1] value out of range', async () => {
    const { code, lines } = await failure(['up'], { BATON_PORT: '70000' });
    expect(code).toBe(2);
    expect(lines[0]).toBe('error: BATON_PORT has an invalid value: "70000".');
  });

  test('[O1] unknown command', async () => {
    const { code, lines } = await failure(['upp']);
    expect(code).toBe(2);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toBe('What to do: run "baton up".');
  });

  test('[O1] taken port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, lines } = await failure([
      'up',
      '--port',
      `${port}`,
      '--data-dir',
      temporaryDirectory(),
    ]);
    expect(code).toBe(1);
    expect(lines.slice(-3)).toEqual([
      `error: Cannot listen on 127.0.0.1:${port}.`,
      'Why: another program, perhaps another Baton server, is using this port.',
      'What to do: stop it, or choose another port with --port (0 picks a free one).',
    ]);
  });

  test('[O1] data directory below a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const { code, lines } = await failure(['up', '--port', '0', '--data-dir', join(file, 'data')]);
    expect(code).toBe(1);
    expect(lines[0]).toBe(`error: The data directory cannot be used: ${join(file, 'data')}`);
    expect(lines[2]).toContain('--data-dir');
  });

  test('[O1] data directory that cannot be written', async () => {
    // Root can write to any directory except virtual ones of the kernel.
    const isRoot = process.getuid?.() === 0;
    const path = isRoot ? '/sys' : join(temporaryDirectory(), 'read-only');
    if (!isRoot) mkdirSync(path, { mode: 0o500 });
    const { code, lines } = await failure(['up', '--port', '0', '--data-dir', path]);
    expect(code).toBe(1);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(`error: The data directory cannot be used: ${path}`);
  });
});

describe('a start', () => {
  test('[O1] creates the data directory for its owner only, and logs JSON to stderr', async () => {
    const dataDir = join(temporaryDirectory(), 'deep', 'data');
    const program = baton(['up', '--port=0', `--data-dir=${dataDir}`]);
    const url = await program.line('Baton is ready: ');
    expect(program.stdout()).toBe(`Baton is ready: ${url}\n`);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    process.kill(program.pid, 'SIGTERM');
    expect((await program.exit).code).toBe(0);
    const entries = program
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toContainEqual(expect.objectContaining({ msg: 'Stopped', level: 30 }));
  });

  test('[X1] prints a link that signs in once, only on stdout', async () => {
    const dataDir = temporaryDirectory();
    const program = baton(['up', '--port=0', `--data-dir=${dataDir}`], {
      BATON_LOG_LEVEL: 'trace',
    });
    const url = new URL(await program.line('Baton is ready: '));
    expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\?code=[\w-]{43}$/);
    const code = url.searchParams.get('code') ?? '';
    expect((await fetch(url)).status).toBe(200);
    const signIn = () =>
      fetch(new URL('/sign-in', url), {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ code }),
      });
    const first = await signIn();
    expect([first.status, await first.text()]).toEqual([
      200,
      expect.stringContaining('data-next="/"'),
    ]);
    expect((await signIn()).status).toBe(401);
    process.kill(program.pid, 'SIGTERM');
    expect((await program.exit).code).toBe(0);
    expect(program.stderr()).toContain('/sign-in');
    expect(program.stderr()).not.toContain(code);
  });

  test('[X1] prints a link with the public URL; a worker prints none', async () => {
    const env = { BATON_PUBLIC_URL: 'https://baton.example' };
    const api = baton(['api', '--port=0', `--data-dir=${temporaryDirectory()}`], env);
    expect(await api.line('Baton is ready: ')).toMatch(/^https:\/\/baton\.example\/sign-in\?code=/);
    const worker = baton(['worker', '--port=0', `--data-dir=${temporaryDirectory()}`], env);
    expect(await worker.line('Baton is ready: ')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([['version'], ['--version']])('[C1] baton %s', async (command) => {
    const program = baton([command], { BATON_UNKNOWN: 'is of no concern here' });
    expect((await program.exit).code).toBe(0);
    expect(program.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([[['help']], [['--help']], [['up', '--help']], [[]]])('[C1] baton %j', async (args) => {
    const program = baton(args);
    expect((await program.exit).code).toBe(0);
    expect(program.stdout()).toContain('Usage: baton ');
  });
});
