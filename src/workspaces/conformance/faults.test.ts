import { lstatSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { access, readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { agentRig } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { FileError, type FilePath, type Files } from '../files.ts';
import type { Process } from '../process.ts';
import type { Runtime } from '../runtime.ts';
import { RUNTIME_CHECKS } from './runtime.ts';

/*
 * A suite that lets a broken runtime pass proves nothing. Each of these runtimes has one fault that
 * must be detected.
 */

vi.setConfig({ testTimeout: 60_000 });

type Break = (runtime: Runtime) => Partial<Runtime>;

/** A runtime that changes its processes after they start. */
const withProcess =
  (change: (started: Process) => Partial<Process>): Break =>
  ({ spawn }) => ({
    spawn: async (argv, options) => {
      const started = await spawn(argv, options);
      return { ...started, ...change(started) };
    },
  });

/**
 * Between its check and its use, a fault leaves this much time, so that the folder is swapped even
 * on a machine that is too busy to do so within microseconds.
 */
const WINDOW_MS = 1;

/** The obvious but unsafe way: resolves and checks the path, then opens it. */
const checkedFirst = ({ root }: Runtime): Pick<Files, 'read' | 'write'> => {
  const checked = async (path: FilePath): Promise<string> => {
    const whole = join(root, String(path));
    const real = await realpath(join(whole, '..'));
    if (!real.startsWith(root)) throw new FileError('not_a_folder', 'outside');
    await setTimeout(WINDOW_MS);
    return whole;
  };
  return {
    read: async (path) => readFile(await checked(path)),
    write: async (path, content) => writeFile(await checked(path), content),
  };
};

/** Opens the path as it is. */
const unchecked = ({ root, files }: Runtime): Files => ({
  ...files,
  read: (path) => readFile(join(root, String(path))),
});

const bufferedWithoutEnd = (started: Process): Partial<Process> => ({
  stdout: started.stdout.pipe(new PassThrough({ highWaterMark: 1e12 })),
});

const droppedUntilRead = (started: Process): Partial<Process> => {
  started.stdout.resume();
  return {};
};

const FAULTS: readonly [fault: string, caughtBy: string, change: Break][] = [
  [
    'a path that is checked and then opened',
    'read: a folder that is swapped',
    (runtime) => ({ files: { ...runtime.files, ...checkedFirst(runtime) } }),
  ],
  [
    'a path that is checked and then written',
    'write: a folder that is swapped',
    (runtime) => ({ files: { ...runtime.files, ...checkedFirst(runtime) } }),
  ],
  [
    'a link that is followed',
    'no link is followed, to',
    (runtime) => ({ files: unchecked(runtime) }),
  ],
  ['a path that may have ..', 'read: an absolute', (runtime) => ({ files: unchecked(runtime) })],
  [
    'a removal that descends by path',
    'removing a folder whose content is swapped',
    ({ root, files }) => ({ files: { ...files, remove: (path) => removeByPath(root, path) } }),
  ],
  ['output that is buffered without end', 'nobody reads waits', withProcess(bufferedWithoutEnd)],
  ['output that takes memory', '100 MB through stdout', withProcess(keeping)],
  ['output that is dropped until it is read', 'nobody has read yet', withProcess(droppedUntilRead)],
  [
    'streams that are one',
    'are separate',
    withProcess(({ stdout, stderr }) => ({ stdout: stderr.pipe(stdout.pipe(new PassThrough())) })),
  ],
  [
    'a stop of the process alone',
    'ends everything',
    withProcess(({ pid, exited }) => ({
      stop: async () => {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {}
        await exited;
      },
    })),
  ],
  [
    'processes left behind that stay, even where there is no ps',
    'has ended kills what it has left behind',
    (runtime) => {
      const { spawn } = withPath({ sleep: '/bin/sleep' }, () => '')(runtime) as Pick<
        Runtime,
        'spawn'
      >;
      return withProcess(({ exited }) => ({ stop: async () => void (await exited) }))({
        ...runtime,
        spawn,
      });
    },
  ],
  ['leftovers that stay', 'leftovers of a unit', () => ({ stopLeftovers: async () => [] })],
  [
    "a variable of the server's",
    'and nothing else',
    ({ spawn }) => ({
      spawn: (argv, options) =>
        spawn(argv, { ...options, env: { ...process.env, ...options.env } as never }),
    }),
  ],
  [
    'an argument that goes through a shell',
    'every argument',
    ({ spawn }) => ({
      spawn: (argv, options) => spawn(['/bin/sh', '-c', argv.join(' ')], options),
    }),
  ],
  [
    'a program that cannot be executed',
    'a program is found',
    ({ find }) => ({
      find: async (name) => ((await isThere(name)) ? name : find(name)),
    }),
  ],
  [
    'a target that is read as text',
    'a link whose target is not text',
    ({ inspect }) => ({
      inspect: async (path) => {
        const target = await readlink(path).catch(() => null);
        return target === null ? inspect(path) : { kind: 'link', target };
      },
    }),
  ],
  [
    'an error that counts as a missing file',
    'cannot be inspected',
    ({ inspect }) => ({
      inspect: async (path) => {
        const inspected = await inspect(path);
        return inspected.kind === 'unknown' ? { kind: 'missing' } : inspected;
      },
    }),
  ],
  [
    'a long name that counts as unknown',
    'cannot be inspected',
    ({ inspect }) => ({
      inspect: async (path) => (path.length > 4096 ? { kind: 'unknown' } : inspect(path)),
    }),
  ],
  ...(['process', 'group'] as const).map((interrupts): [string, string, Break] => [
    `an interrupt that always reaches the ${interrupts}`,
    'an interrupt reaches the process',
    ({ spawn }) => ({ spawn: (argv, options) => spawn(argv, { ...options, interrupts }) }),
  ]),
  [
    'a stop that kills at once',
    'a stop interrupts',
    withProcess(({ pid, exited, stop }) => ({
      stop: async () => {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {}
        await exited;
        await stop();
      },
    })),
  ],
  [
    'a stop that takes 8 s',
    'ends everything',
    withProcess(({ exited, stop }) => {
      let hasExited = false;
      void exited.then(() => {
        hasExited = true;
      });
      return {
        stop: async () => {
          if (!hasExited) await setTimeout(8000);
          await stop();
        },
      };
    }),
  ],
  [
    'a file that is empty before it is written',
    'never seen empty',
    ({ files }) => ({
      files: {
        ...files,
        write: async (path, content, options) => {
          await files.write(path, '', options);
          await setTimeout(WINDOW_MS);
          await files.write(path, content, options);
        },
      },
    }),
  ],
  [
    'a listing in which everything is a file',
    'the kind of each entry',
    ({ files }) => ({
      files: {
        ...files,
        list: async (path, max) => {
          const { entries, truncated } = await files.list(path, max);
          return { entries: entries.map((entry) => ({ ...entry, kind: 'file' })), truncated };
        },
      },
    }),
  ],
  [
    'a time in seconds',
    'the time of its last change',
    ({ files }) => ({
      files: {
        ...files,
        stat: async (path) => {
          const stats = await files.stat(path);
          return stats && { ...stats, modifiedAt: stats.modifiedAt / 1000 };
        },
      },
    }),
  ],
  [
    'another folder whose links are followed',
    'below another folder',
    ({ filesIn }) => ({
      filesIn: (folder) => ({
        ...filesIn(folder),
        read: (path) => readFile(join(folder, String(path))),
      }),
    }),
  ],
  [
    'a snapshot that cannot be aborted',
    'that is aborted',
    ({ snapshot }) => ({ snapshot: ({ signal: _, ...options } = {}) => snapshot(options) }),
  ],
  [
    'a diff that cannot be aborted',
    'that is aborted',
    ({ diff }) => ({ diff: (from, { signal: _, ...options } = {}) => diff(from, options) }),
  ],
  [
    'a diff without a patch',
    'how a text file has changed',
    ({ diff }) => ({
      diff: async (from, options) => {
        const { patch: _, ...rest } = await diff(from, options);
        return rest;
      },
    }),
  ],
  [
    'a snapshot that sees nothing',
    'in a plain folder',
    () => ({ diff: async () => ({ files: [], truncated: false }) }),
  ],
];

test.each(FAULTS)('[W1] the suite finds %s', async (_fault, caughtBy, change) => {
  expect(await outcomeOf(caughtBy, change)).toBeInstanceOf(Error);
});

const SWAPPED = ['read: a folder that is swapped', 'removing a folder whose content is swapped'];
const LIMITS: readonly [lacking: string, change: Break][] = [
  ['perl', ({ find }) => ({ find: async (name) => (name === 'perl' ? null : find(name)) })],
  [
    'a system call that exchanges two names',
    (runtime) => withPath({ uname: lyingUname() })(runtime),
  ],
];

test.each(
  LIMITS.flatMap(([lacking, change]) => SWAPPED.map((name) => [name, lacking, change] as const)),
)('[W1] the check "%s" ends on a machine without %s', async (name, _lacking, change) => {
  expect(await outcomeOf(name, change)).toBeNull();
});

/** Names the other architecture, so that the number of the system call is another one's here. */
function lyingUname(): string {
  const path = join(temporaryDirectory(), 'uname');
  const other = process.arch === 'arm64' ? 'x86_64' : 'aarch64';
  writeFileSync(path, `#!/bin/sh\necho Linux ${other}\n`, { mode: 0o700 });
  return path;
}

/** A runtime whose processes find these programs first, then those on the rest of their PATH. */
function withPath(
  programs: Readonly<Record<string, string>>,
  restOf = ({ environment }: Runtime) => environment['PATH'],
): Break {
  const folder = temporaryDirectory();
  for (const [name, target] of Object.entries(programs)) symlinkSync(target, join(folder, name));
  return (runtime) => {
    const PATH = [folder, restOf(runtime)].filter(Boolean).join(':');
    return {
      spawn: (argv, options) => runtime.spawn(argv, { ...options, env: { ...options.env, PATH } }),
    };
  };
}

/** Runs the one check with this in its name on a changed runtime; null if the runtime passes. */
async function outcomeOf(checkName: string, change: Break): Promise<unknown> {
  const [check, ...more] = RUNTIME_CHECKS.filter(({ name }) => name.includes(checkName));
  expect(more).toEqual([]);
  const whole = agentRig().runtimeAt(realpathSync(temporaryDirectory()));
  const started: Process[] = [];
  const runtime: Runtime = {
    ...whole,
    spawn: async (argv, options) => {
      const process = await whole.spawn(argv, options);
      started.push(process);
      return process;
    },
  };
  const changed = { ...runtime, ...change(runtime) };
  const outside = realpathSync(temporaryDirectory());
  const outcome = await check!.run({ runtime: changed, outside }).then(
    () => null,
    (error: unknown) => error,
  );
  // Stops what a fault left running.
  await Promise.all(started.map((process) => process.stop()));
  return outcome;
}

/** Keeps all that passes. */
function keeping({ stdout }: Process): Partial<Process> {
  const kept: Buffer[] = [];
  stdout.on('close', () => void kept.length);
  const through = new PassThrough({ transform: (piece, _, done) => done(null, hold(kept, piece)) });
  return { stdout: stdout.pipe(through) };
}

function hold(kept: Buffer[], piece: Buffer): Buffer {
  kept.push(Buffer.from(piece));
  return piece;
}

/** Leaves a moment between checking and acting, like every removal by path. */
async function removeByPath(root: string, path: FilePath): Promise<void> {
  const whole = join(root, String(path));
  if (!lstatSync(whole).isDirectory()) return rmSync(whole);
  await setTimeout(1);
  for (const name of readdirSync(whole)) await removeByPath(root, join(String(path), name));
  rmSync(whole, { recursive: true });
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
