import { once } from 'node:events';
import { expect, onTestFinished, vi } from 'vitest';
import { type SpawnOptions, StartError } from '../../process.ts';
import { type Check, type RuntimeUnderTest, run, sh, start, UNIT } from './rig.ts';

const ODD = [
  '',
  ' ',
  'a b',
  '\n',
  'a\nb\n',
  '-n',
  '--',
  '-',
  '日本語 🎌',
  `"'\\`,
  '$HOME `id` *',
  '~',
];

async function environmentOf(
  under: RuntimeUnderTest,
  env: Record<string, string>,
): Promise<Map<string, string>> {
  // Without a shell, which would add variables of its own.
  const { stdout } = await run(under, ['env', '-0'], { env });
  const pairs = stdout.split('\0').filter((pair) => pair !== '');
  return new Map(pairs.map((pair) => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)]));
}

/**
 * How a process starts: its arguments, environment and directory, and the reasons for failing to
 * start.
 */
export const ARGUMENT_CHECKS: readonly Check[] = [
  {
    name: '[A9] every argument arrives as it is',
    run: async (under) => {
      const long = 'x'.repeat(100_000);
      const all = [...ODD, long];
      const said = await sh(under, `for each in "$@"; do printf '%s\\0' "$each"; done`, ...all);
      expect(said.split('\0').slice(0, -1)).toEqual(all);
    },
  },
  {
    name: "[A10] it sees the runtime's environment, what it is given and the tag, and nothing else",
    run: async (under) => {
      vi.stubEnv('BATON_OF_THE_SERVER', 'secret');
      onTestFinished(() => void vi.unstubAllEnvs());
      const { environment } = under.runtime;
      const given = { EMPTY: '', LINES: 'a\nb', UNICODE: '日本', HOME: '/elsewhere' };
      const seen = await environmentOf(under, given);
      const expected = { ...environment, ...given };
      const others = [...seen.keys()].filter((name) => !Object.hasOwn(expected, name));
      expect(others.length).toBeLessThanOrEqual(1);
      for (const name of others) seen.delete(name);
      expect(Object.fromEntries(seen)).toEqual(expected);
      expect([...seen.values(), ...others].join('\n')).not.toContain('secret');
    },
  },
  {
    name: '[W1] it starts in the workspace, or in the directory that is named',
    run: async (under) => {
      const { runtime, outside } = under;
      expect(await sh(under, 'pwd -P')).toBe(`${runtime.root}\n`);
      const { stdout } = await run(under, ['/bin/sh', '-c', 'pwd -P'], { cwd: outside });
      expect(stdout).toBe(`${outside}\n`);
    },
  },
  {
    name: '[Q15] exit codes and signals are reported',
    run: async (under) => {
      for (const code of [0, 1, 42, 255]) {
        const ended = await run(under, ['/bin/sh', '-c', `exit ${code}`]);
        expect(ended).toMatchObject({ code, signal: null });
      }
      for (const [number, signal] of [
        [9, 'SIGKILL'],
        [15, 'SIGTERM'],
      ] as const) {
        const ended = await run(under, ['/bin/sh', '-c', `kill -${number} $$`]);
        expect(ended).toMatchObject({ code: null, signal });
      }
    },
  },
  {
    name: '[A2] a program or directory that is missing is an error that says so',
    run: async (under) => {
      const { runtime, outside } = under;
      const failure = async (argv: string[], cwd?: string): Promise<StartError> => {
        const started = runtime.spawn(argv, { unit: UNIT, ...(cwd === undefined ? {} : { cwd }) });
        const error = await started.then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(StartError);
        return error as StartError;
      };
      expect(await failure(['/not/there/program'])).toMatchObject({ missing: true, busy: false });
      expect(await failure(['not-a-program-anywhere'])).toMatchObject({ missing: true });
      const nowhere = await failure(['/bin/sh'], `${outside}/not-there`);
      expect(nowhere.missing).toBe(false);
      expect(nowhere.message).toContain('not-there');
    },
  },
  {
    name: '[Q9] an interrupt reaches the process, or its whole group',
    run: async (under) => {
      expect(await interrupted(under, {})).toBe('ready\nprocess\n');
      expect(await interrupted(under, { interrupts: 'process' })).toBe('ready\nprocess\n');
      expect(await interrupted(under, { interrupts: 'group' })).toBe('ready\nchild\nprocess\n');
    },
  },
];

/** A shell whose child is in the foreground. The shell's trap runs when its child has ended. */
const PARENT = `trap 'echo process; exit 3' INT; /bin/sh -c "$1"; sleep 1000`;
const CHILD = `trap 'echo child' INT; echo ready; read -r line; :`;

/** Which of the two an interrupt reaches. */
async function interrupted(
  under: RuntimeUnderTest,
  options: Pick<SpawnOptions, 'interrupts'>,
): Promise<string> {
  const process = await start(under, ['/bin/sh', '-c', PARENT, 'sh', CHILD], options);
  let said = '';
  const ended = once(process.stdout, 'close');
  process.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  await vi.waitFor(() => expect(said).toBe('ready\n'), { timeout: 5000 });
  process.interrupt();
  // The interrupt arrives before the end of the child's input.
  await sh(under, ':');
  process.stdin.end('\n');
  expect(await process.exited).toMatchObject({ code: 3 });
  await ended;
  return said;
}
