import { once } from 'node:events';
import { expect } from 'vitest';
import type { Files } from '../../files.ts';
import { reasonOf } from './files.ts';
import { type Check, type RuntimeUnderTest, sh, start } from './rig.ts';

const SECRET = 'only outside';

/** Every way to use a path. */
const USES: Readonly<Record<string, (files: Files, path: string) => Promise<unknown>>> = {
  read: (files, path) => files.read(path, 1000),
  write: (files, path) => files.write(path, 'planted'),
  list: (files, path) => files.list(path),
  stat: (files, path) => files.stat(path),
  remove: (files, path) => files.remove(path),
};

/** Creates files outside the workspace that nothing may change. */
async function plant(under: RuntimeUnderTest): Promise<void> {
  await sh(
    under,
    `mkdir "$1/sub"; printf '${SECRET}' > "$1/file"; : > "$1/sub/victim"`,
    under.outside,
  );
}

async function expectUntouched(under: RuntimeUnderTest): Promise<void> {
  const { outside } = under;
  expect(await sh(under, 'cd "$1"; find . | sort', outside)).toBe(
    '.\n./file\n./sub\n./sub/victim\n',
  );
  expect(await sh(under, 'cat "$1/file"', outside)).toBe(SECRET);
}

/**
 * Swaps `tree/door`, a folder, and `tree/link`, a link to the outside, as fast as it can, and
 * creates them again if they are gone. Where Linux can, it uses one system call (renameat2 with
 * RENAME_EXCHANGE), so that one of them always exists. Not every file system or sandbox supports
 * it.
 */
const SWAP = `
$| = 1;
my ($out, $door, $link, $spare) = (shift, "tree/door", "tree/link", "tree/spare");
my %number = ("Linux x86_64\n" => 316, "Linux aarch64\n" => 276);
my $exchange = $number{\`uname -sm\`};
my $ENOENT = 2;
for (my $round = 0; ; $round++) {
  mkdir "tree"; mkdir $door; mkdir "$door/sub"; symlink $out, $link;
  if ($exchange) { $exchange = 0 if syscall($exchange, -100, $door, -100, $link, 2) == -1 && $! != $ENOENT }
  else { rename $door, $spare; rename $link, $door; rename $spare, $link }
  print "ready\n" if $round == 100;
  select undef, undef, undef, 0.00005;
}`;

/** The same, using only what every system has. */
const SWAP_SLOWLY = `echo ready; while :; do
  mkdir -p tree/door/sub; [ -L tree/link ] || ln -s "$1" tree/link
  mv tree/door tree/spare; ln -s "$1" tree/door; rm tree/door; mv tree/spare tree/door
done 2>/dev/null`;

async function swapping(under: RuntimeUnderTest): Promise<void> {
  const perl = await under.runtime.find('perl');
  const argv = perl === null ? ['/bin/sh', '-c', SWAP_SLOWLY, 'sh'] : [perl, '-e', SWAP];
  const { stdout, stderr } = await start(under, [...argv, under.outside]);
  stderr.resume();
  await once(stdout, 'data');
}

/**
 * The number of tries for each: many times more than a runtime that checks first and opens later
 * can survive.
 */
const TRIES = 1000;
const TOGETHER = 8;
/** How often the tries must have met the folder, and how often the link or nothing. */
const MET = 20;

/** A check that has not got that far by then would never end. */
const SWAPPING_MS = 30_000;

/** Without perl, the link is made again so slowly that fewer removals must do. */
const REMOVING_MS = 2000;

function stillSwapping(since: number, what: string): void {
  if (performance.now() - since < SWAPPING_MS) return;
  throw new Error(`${what} in ${SWAPPING_MS} ms. The folder is not swapped often enough.`);
}

/** Repeats until enough tries have met the folder and the link. */
async function whileSwapping(attempt: () => Promise<unknown>): Promise<void> {
  const since = performance.now();
  let [met, missed] = [0, 0];
  for (let tried = 0; tried < TRIES || met < MET || missed < MET; tried += TOGETHER) {
    stillSwapping(
      since,
      `${tried} tries met the folder ${met} times and missed it ${missed} times`,
    );
    const attempts = Array.from({ length: TOGETHER }, () =>
      attempt().then(
        () => met++,
        () => missed++,
      ),
    );
    await Promise.all(attempts);
  }
}

export const ESCAPE_CHECKS: readonly Check[] = [
  ...Object.entries(USES).map(([name, use]) => ({
    name: `[P7] ${name}: an absolute path, \`..\` or NUL leads nowhere`,
    run: async (under: RuntimeUnderTest) => {
      const { runtime, outside } = under;
      await plant(under);
      await sh(under, 'mkdir folder');
      const up = '../'.repeat(runtime.root.split('/').length);
      const paths = [
        `${outside}/file`,
        `${up}${outside.slice(1)}/file`,
        `folder/${up}../${outside.slice(1)}/sub`,
        '..',
        '../x',
        'folder/..',
        '/',
        `${runtime.root}/folder`,
        'folder\0/x',
      ];
      for (const path of paths) {
        expect([path, await reasonOf(use(runtime.files, path))]).toEqual([path, 'outside']);
      }
      await expectUntouched(under);
    },
  })),
  {
    name: '[P7] no link is followed, to the outside or inside',
    run: async (under) => {
      const { runtime, outside } = under;
      const { files } = runtime;
      await plant(under);
      await sh(under, 'mkdir in; echo inside > in/file; ln -s in near; ln -s "$1" away', outside);
      await sh(under, 'ln -s "$1/file" file; ln -s "$1/new" dangling; ln -s in/file own', outside);
      for (const folder of ['away', 'near']) {
        for (const [name, use] of Object.entries(USES)) {
          const reason = await reasonOf(use(files, `${folder}/file`));
          expect([folder, name, reason]).toEqual([folder, name, 'not_a_folder']);
        }
        expect(await reasonOf(files.list(folder))).toBe('not_a_folder');
      }
      for (const link of ['file', 'own']) {
        expect(await reasonOf(files.read(link, 1000))).toBe('not_a_file');
        expect(await files.stat(link)).toMatchObject({ kind: 'link' });
      }
      // A link in its place is replaced.
      for (const link of ['file', 'dangling', 'own']) await files.write(link, 'mine');
      expect(await sh(under, 'cat file dangling own in/file')).toBe('mineminemineinside\n');
      await files.remove('away');
      expect(await files.stat('away')).toBeNull();
      await expectUntouched(under);
    },
  },
  ...Object.entries(USES).map(([name, use]) => ({
    name: `[P7] ${name}: a folder that is swapped for a link at any moment leads nowhere`,
    run: async (under: RuntimeUnderTest) => {
      const { files } = under.runtime;
      await plant(under);
      await sh(
        under,
        `mkdir -p tree/door/sub; printf inside > tree/door/file; : > tree/door/sub/mine`,
      );
      await swapping(under);
      const path = {
        list: 'tree/door/sub',
        remove: 'tree/door/sub/victim',
        write: 'tree/door/sub/planted',
      }[name];
      const seen = new Set<string>();
      await whileSwapping(async () => seen.add(textOf(await use(files, path ?? 'tree/door/file'))));
      for (const text of seen) {
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain('victim');
        expect(text).not.toContain(`"size":${SECRET.length}`);
      }
      await expectUntouched(under);
    },
  })),
  {
    name: '[P7] removing a folder whose content is swapped for links removes nothing else',
    run: async (under: RuntimeUnderTest) => {
      const { files } = under.runtime;
      await plant(under);
      await swapping(under);
      const since = performance.now();
      const isEnough = (tried: number): boolean =>
        tried >= TRIES / 4 || (tried >= MET && performance.now() - since > REMOVING_MS);
      for (let tried = 0; !isEnough(tried); ) {
        stillSwapping(since, `The folder was removed ${tried} times`);
        // The link is missing since the last removal; it will be created again.
        if ((await files.stat('tree/link').catch(() => null)) === null) continue;
        await files.remove('tree').catch(() => {});
        tried++;
      }
      await expectUntouched(under);
    },
  },
];

const textOf = (result: unknown): string =>
  Buffer.isBuffer(result) ? result.toString() : (JSON.stringify(result) ?? '');
