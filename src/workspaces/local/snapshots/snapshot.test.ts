import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { SESSION_EVENTS } from '../../../contract/session-event.ts';
import { byteLength } from '../../../contract/values/json.ts';
import type { WorkspaceDiff } from '../../runtime.ts';
import { diffSince, type Snapshot, type SnapshotOptions, takeSnapshot } from './snapshot.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Patient: the machine may be busy. */
let PATIENT: SnapshotOptions;
beforeEach(() => {
  PATIENT = { timeoutMs: 60_000, keep: join(temporaryDirectory(), 'keep') };
});

/** Stored and read back, as a later attempt gets it. */
const taken = async (path: string): Promise<Snapshot> =>
  JSON.parse(JSON.stringify(await takeSnapshot(path, PATIENT))) as Snapshot;

const changesOf = ({ files }: WorkspaceDiff): string[] =>
  files.map(({ path, change }) => `${change} ${path}`).sort();

async function changesSince(path: string, before: Snapshot): Promise<string[]> {
  return changesOf(await diffSince(path, before, PATIENT));
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const CLEAN = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd,
    env: CLEAN,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

function repository(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory();
  git(root, 'init', '-q');
  write(root, files);
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  return root;
}

function directory(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory();
  write(root, files);
  return root;
}

/** Makes git take 20 ms to store each file. */
function useSlowGit(): void {
  const bin = temporaryDirectory();
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
case "$*" in *"update-index -z --add"*)
  cat > ${bin}/input
  files=$(tr -cd '\\0' < ${bin}/input | wc -c)
  sleep $(printf '%d.%02d' $((files / 50)) $((files % 50 * 2)))
  exec ${real} "$@" < ${bin}/input ;;
esac
exec ${real} "$@"
`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe.each([
  ['git', repository],
  ['folder', directory],
] as const)('of kind %s', (kind, make) => {
  test('[Q16] lists what was added, changed and removed, and nothing else', async () => {
    const root = make({ 'keep.txt': 'a\n', 'change.txt': 'b\n', 'sub/gone.txt': 'c\n' });
    const before = await taken(root);
    expect(before.kind).toBe(kind);
    expect(await diffSince(root, before, PATIENT)).toEqual({ files: [], truncated: false });
    write(root, { 'change.txt': 'B\n', 'sub/new.txt': 'd\n', '日本/語.txt': 'e\n' });
    rmSync(join(root, 'sub/gone.txt'));
    const diff = await diffSince(root, before, PATIENT);
    expect(changesOf(diff)).toEqual([
      'added sub/new.txt',
      'added 日本/語.txt',
      'deleted sub/gone.txt',
      'modified change.txt',
    ]);
    expect(diff.truncated).toBe(false);
    SESSION_EVENTS['run.retry_diff'].parse({ sinceAttempt: 1, ...diff });
  });

  test('[Q16] a file that was only touched is as before; one of the same size and time is not', async () => {
    const root = make({ 'touched.txt': 'same', 'forged.txt': 'abcd', 'back.txt': '1' });
    const { atime, mtime } = statSync(join(root, 'forged.txt'));
    const before = await taken(root);
    utimesSync(join(root, 'touched.txt'), new Date(), new Date());
    write(root, { 'forged.txt': 'dcba', 'back.txt': '2' });
    utimesSync(join(root, 'forged.txt'), atime, mtime);
    write(root, { 'back.txt': '1' });
    expect(await changesSince(root, before)).toEqual(['modified forged.txt']);
  });

  test('[Q16] links are not followed, out of the workspace or in it', async () => {
    const outside = directory({ 'secret.txt': 'before', 'd/f.txt': 'theirs' });
    const root = make({ 'd/f.txt': 'ours', 'a.txt': 'a' });
    symlinkSync(outside, join(root, 'way'));
    symlinkSync('a.txt', join(root, 'link'));
    const before = await taken(root);
    write(outside, { 'secret.txt': 'after', 'more.txt': 'x' });
    expect(await changesSince(root, before)).toEqual([]);
    rmSync(join(root, 'd'), { recursive: true });
    symlinkSync(join(outside, 'd'), join(root, 'd'));
    rmSync(join(root, 'link'));
    symlinkSync('d', join(root, 'link'));
    const diff = await diffSince(root, before, PATIENT);
    expect(changesOf(diff)).toEqual(['added d', 'deleted d/f.txt', 'modified link']);
    expect(diff.patch ?? '').not.toContain('theirs');
  });

  test('[Q16] files become directories and back', async () => {
    const root = make({ file: 'f', 'dir/inner': 'i', 'empty/inner': 'e' });
    const before = await taken(root);
    for (const path of ['file', 'dir', 'empty']) rmSync(join(root, path), { recursive: true });
    write(root, { 'file/inner': 'f', dir: 'd' });
    mkdirSync(join(root, 'empty'));
    expect(await changesSince(root, before)).toEqual([
      'added dir',
      'added file/inner',
      'deleted dir/inner',
      'deleted empty/inner',
      'deleted file',
    ]);
  });

  test('[Q16] names need not be UTF-8, and may have any sign', async () => {
    const root = make({ 'a.txt': 'a' });
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0xfe])]);
    writeFileSync(odd, 'odd');
    write(root, { 'new\nline "q" *.txt': 'x', ':(top)x': 'y', '-n': 'z' });
    const before = await taken(root);
    expect(await changesSince(root, before)).toEqual([]);
    appendFileSync(odd, '!');
    write(root, { ':(top)x': 'Y', '-n': 'Z' });
    rmSync(join(root, 'new\nline "q" *.txt'));
    expect(await changesSince(root, before)).toEqual([
      'deleted new\nline "q" *.txt',
      'modified -n',
      'modified :(top)x',
      'modified f\uFFFD\uFFFD',
    ]);
  });

  test('[Q16] huge files are known by size and time, and are not read', async () => {
    const root = make({ 'a.txt': 'a' });
    const huge = (name: string, size: number): void => {
      write(root, { [name]: '' });
      truncateSync(join(root, name), size);
    };
    for (const name of ['same', 'grown', 'gone', 'small']) huge(name, 20e9);
    const before = await taken(root);
    expect(JSON.stringify(before).length).toBeLessThan(2000);
    huge('grown', 30e9);
    huge('new', 20e9);
    rmSync(join(root, 'gone'));
    write(root, { small: 's' });
    expect(await changesSince(root, before)).toEqual([
      'added new',
      'deleted gone',
      'modified grown',
      'modified small',
    ]);
  });

  test('[Q16] what cannot be read, and what is no file, keeps nothing else from being seen', async () => {
    const root = make({ 'a.txt': 'a', 'closed/b.txt': 'b', 'mine.txt': 'm' });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const before = await taken(root);
    chmodSync(join(root, 'mine.txt'), 0o000);
    write(root, { 'a.txt': 'A' });
    rmSync(join(root, 'closed'), { recursive: true });
    const seen = await changesSince(root, before);
    expect(seen).toContain('modified a.txt');
    expect(seen).toContain('deleted closed/b.txt');
  });

  test('[Q16] of very many changes some are listed, and the result says so', async () => {
    const root = make({ 'a.txt': 'a' });
    const before = await taken(root);
    for (let i = 0; i < 700; i++) write(root, { [`many/${i}.txt`]: `${'"\\\n'.repeat(500)}${i}` });
    const diff = await diffSince(root, before, PATIENT);
    expect(diff.truncated).toBe(true);
    expect(diff.files.length).toBeGreaterThan(300);
    expect(byteLength(JSON.stringify({ sinceAttempt: 1, ...diff }))).toBeLessThan(250 * 1024);
  });

  test('[Q16] a workspace that is gone is not one whose files were deleted', async () => {
    const root = make({ 'a.txt': 'a' });
    const before = await taken(root);
    renameSync(root, `${root}-moved`);
    const diff = await diffSince(root, before, PATIENT);
    expect(diff).toMatchObject({ files: [], truncated: true, note: expect.stringMatching(/./) });
    renameSync(`${root}-moved`, root);
  });

  test('[Q16] when the time is over it is said', async () => {
    const root = make({ 'a.txt': 'a' });
    const before = await taken(root);
    write(root, { 'b.txt': 'b' });
    const aborted = { ...PATIENT, signal: AbortSignal.abort(new DOMException('', 'TimeoutError')) };
    expect((await diffSince(root, before, aborted)).truncated).toBe(true);
    const late = await takeSnapshot(root, aborted);
    expect(late).toMatchObject(
      late.kind === 'none' ? { reason: expect.stringContaining('in time') } : { truncated: true },
    );
  });
});

test('[Q16] a workspace that cannot be read gives a diff that says so', async () => {
  const gone = join(temporaryDirectory(), 'gone');
  const nothing = await taken(gone);
  expect(nothing.kind).toBe('none');
  const diff = await diffSince(gone, nothing, PATIENT);
  expect(diff).toMatchObject({
    files: [],
    truncated: true,
    note: expect.stringContaining('ENOENT'),
  });
  for (const stored of [null, {}, { kind: 'git', tree: '--output=/tmp/x', large: [] }]) {
    expect(await diffSince(gone, stored, PATIENT)).toMatchObject({ files: [], truncated: true });
  }
});

test('[Q16] more files than are kept: those that came later are found all the same', async () => {
  const root = temporaryDirectory();
  for (let i = 0; i < 510; i++) writeFileSync(join(root, `f${i}`), '');
  const few = { ...PATIENT, entries: 300 };
  const before = await takeSnapshot(root, few);
  expect(before).toMatchObject({ kind: 'folder', truncated: true });
  // Files of a second ago may be taken for new ones, so this is one of long after.
  const later = join(root, 'later');
  const last = statSync(join(root, 'f509')).ctimeMs;
  do writeFileSync(later, '');
  while (statSync(later).ctimeMs < last + 1100);
  const since = { ...before, at: last + 1050 };
  const diff = await diffSince(root, since, PATIENT);
  expect([changesOf(diff), diff.truncated]).toEqual([['added later'], true]);
});

describe('a plain folder', () => {
  test('[Q16] has a patch, byte by byte, whatever its .gitattributes say', async () => {
    const root = directory({ '.gitattributes': '* text=auto eol=lf\n', 'a.txt': 'one\r\n' });
    const before = await taken(root);
    write(root, { 'a.txt': 'one\n' });
    const diff = await diffSince(root, before, PATIENT);
    expect(changesOf(diff)).toEqual(['modified a.txt']);
    expect(diff.patch).toContain('-one\r\n+one\n');
  });

  test('[Q16] may become a repository, or get one inside', async () => {
    const root = directory({ 'a.txt': 'a\n', '.gitignore': 'out\n' });
    const before = await taken(root);
    git(root, 'init', '-q');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'first');
    git(root, 'clone', '-q', repository({ 'inner.txt': 'i\n' }), 'cloned');
    write(root, { 'a.txt': 'b\n', out: 'o' });
    const diff = await diffSince(root, before, PATIENT);
    expect(changesOf(diff)).toEqual(['added cloned/inner.txt', 'added out', 'modified a.txt']);
    expect(diff.patch).toContain('-a\n+b\n');
    expect(diff.truncated).toBe(false);
  });

  test('[Q16] is compared with the snapshot that is given, not with the latest one', async () => {
    const root = directory({ 'a.txt': 'a\n', 'gone.txt': 'g\n' });
    const first = await taken(root);
    write(root, { 'a.txt': 'b\n', 'new.txt': 'n\n' });
    rmSync(join(root, 'gone.txt'));
    const second = await taken(root);
    expect(await changesSince(root, second)).toEqual([]);
    expect(await changesSince(root, first)).toEqual([
      'added new.txt',
      'deleted gone.txt',
      'modified a.txt',
    ]);
    expect(await changesSince(root, second)).toEqual([]);
  });

  test('[Q16] without time to read its files they are known by size and time', async () => {
    const root = directory({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    const begun = performance.now();
    let asked = 0;
    // Asked at the start, for each of the three files that the walk meets, and at its end, all in
    // time; reading is not.
    vi.spyOn(performance, 'now').mockImplementation(() => (++asked <= 5 ? begun : begun + 50_000));
    const before = await takeSnapshot(root, PATIENT);
    vi.restoreAllMocks();
    expect(before).toMatchObject({ kind: 'folder', truncated: false });
    expect((before as { large: unknown[] }).large).toHaveLength(3);
    write(root, { 'b.txt': 'bb', 'd.txt': 'd' });
    rmSync(join(root, 'c.txt'));
    expect(await changesSince(root, before)).toEqual([
      'added d.txt',
      'deleted c.txt',
      'modified b.txt',
    ]);
    const partial = { ...before, truncated: true, at: Date.now() + 5000 };
    expect(await changesSince(root, partial as Snapshot)).toEqual([
      'deleted c.txt',
      'modified b.txt',
    ]);
  });

  test('[Q16] is read even if listing it takes long', async () => {
    const root = directory({ 'a.txt': 'a\n' });
    const begun = performance.now();
    let asked = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (++asked <= 1 ? begun : begun + 29_000));
    const before = await takeSnapshot(root, PATIENT);
    vi.restoreAllMocks();
    expect(before).toMatchObject({ kind: 'folder', truncated: false, large: [] });
    write(root, { 'a.txt': 'b\n' });
    expect((await diffSince(root, before, PATIENT)).patch).toContain('-a\n+b\n');
  });

  test('[Q16] on slow storage is read in part, and the next snapshot continues', async () => {
    const root = directory({});
    for (let i = 0; i < 1000; i++) writeFileSync(join(root, `f${i}`), `${i}`);
    useSlowGit();
    const { keep } = PATIENT;
    const largeOf = (snapshot: Snapshot) => (snapshot as { large: unknown[] }).large.length;
    const first = await takeSnapshot(root, { keep });
    expect(first).toMatchObject({ kind: 'folder', truncated: false });
    expect(largeOf(first)).toBeLessThan(1000);
    expect(largeOf(await takeSnapshot(root, { keep }))).toBeLessThan(largeOf(first));
  });

  test('[Q16] is listed even if it is empty', async () => {
    const root = directory({});
    const before = await taken(root);
    expect(before).toMatchObject({ kind: 'folder', large: [], truncated: false });
    write(root, { 'a.txt': 'a' });
    expect(await changesSince(root, before)).toEqual(['added a.txt']);
  });

  test('[Q16] without git the result says so', async () => {
    const root = directory({ 'a.txt': 'a' });
    const before = await taken(root);
    vi.stubEnv('PATH', temporaryDirectory());
    onTestFinished(() => void vi.unstubAllEnvs());
    const reason = expect.stringContaining('git is not installed');
    expect(await takeSnapshot(root, PATIENT)).toEqual({ kind: 'none', reason });
    expect(await diffSince(root, before, PATIENT)).toEqual({
      files: [],
      truncated: true,
      note: reason,
    });
  });

  test('[E8] is readable only by our user, and what a killed snapshot leaves behind is removed', async () => {
    const root = directory({ 'a.txt': 'a' });
    const { keep } = PATIENT;
    await takeSnapshot(root, PATIENT);
    expect(statSync(keep).mode & 0o777).toBe(0o700);
    mkdirSync(join(keep, 'git-killed'));
    mkdirSync(join(keep, 'git-at-work'));
    const long = new Date(Date.now() - 2 * 3600_000);
    utimesSync(join(keep, 'git-killed'), long, long);
    await takeSnapshot(root, { ...PATIENT, isFirst: true });
    expect(readdirSync(keep).sort()).toEqual(['git-at-work', 'index', 'objects']);
  });
});

describe('a git repository', () => {
  test('[Q16] has a patch against what really was there, committed or not', async () => {
    const root = repository({ 'a.txt': 'one\n', 'staged.txt': 's\n', 'bin.dat': '\0\0' });
    write(root, { 'a.txt': 'two\n', 'staged.txt': 'S\n', 'untracked.txt': 'u\n' });
    git(root, 'add', 'staged.txt');
    const before = await taken(root);
    expect(await changesSince(root, before)).toEqual([]);
    write(root, { 'a.txt': 'three\n', 'untracked.txt': 'U\n', 'bin.dat': '\0\x01' });
    // What the agent commits is a change all the same.
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'second');
    const diff = await diffSince(root, before, PATIENT);
    expect(changesOf(diff)).toEqual([
      'modified a.txt',
      'modified bin.dat',
      'modified untracked.txt',
    ]);
    expect(diff.patch).toContain('-two\n+three\n');
    expect(diff.patch).toContain('-u\n+U\n');
    expect(diff.patch).toContain('Binary files a/bin.dat and b/bin.dat differ');
  });

  test('[Q16] is left as it is: index, HEAD, stash, branches, objects, times', async () => {
    const root = repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    write(root, { 'a.txt': 'stashed\n' });
    git(root, 'stash', '-q');
    write(root, { 'a.txt': 'staged\n', 'new.txt': 'n\n' });
    git(root, 'add', 'a.txt');
    write(root, { 'a.txt': 'worked on\n', 'b.txt': 'B\n' });
    const state = () => [
      readFileSync(join(root, '.git/index')).toString('base64'),
      statSync(join(root, '.git/index')).mtimeMs,
      git(root, 'for-each-ref'),
      git(root, 'stash', 'list'),
      git(root, '--no-optional-locks', 'status', '--porcelain=v2'),
      readdirSync(join(root, '.git')).sort(),
      readdirSync(join(root, '.git/objects'), { recursive: true }).sort(),
      readFileSync(join(root, '.git/HEAD'), 'utf8'),
    ];
    const was = state();
    const place = temporaryDirectory();
    vi.stubEnv('TMPDIR', place);
    onTestFinished(() => void vi.unstubAllEnvs());
    const before = await taken(root);
    await diffSince(root, before, PATIENT);
    expect(state()).toEqual(was);
    expect(readdirSync(place)).toEqual([]);
  });

  test('[Q16] its .gitignore and info/exclude are heeded', async () => {
    const root = repository({ '.gitignore': 'out/\n', 'a.txt': 'a' });
    appendFileSync(join(root, '.git/info/exclude'), 'private.txt\n');
    const before = await taken(root);
    write(root, { 'out/x': 'x', 'private.txt': 'p', 'sub/.gitignore': '*\n', 'sub/y': 'y' });
    expect(await changesSince(root, before)).toEqual([]);
  });

  test('[Q16] conflicts, an empty repository, a worktree, SHA-256 and a place below the top', async () => {
    const root = repository({ 'a.txt': 'base\n' });
    git(root, 'checkout', '-q', '-b', 'side');
    write(root, { 'a.txt': 'side\n' });
    git(root, 'commit', '-q', '-am', 'side');
    git(root, 'checkout', '-q', '-');
    write(root, { 'a.txt': 'main\n' });
    git(root, 'commit', '-q', '-am', 'main');
    expect(() => git(root, 'merge', '-q', 'side')).toThrow();
    const above = repository({ 'a.txt': 'a', 'sub/b.txt': 'b\n' });
    const empty = temporaryDirectory();
    git(empty, 'init', '-q');
    const tree = join(temporaryDirectory(), 'tree');
    git(root, 'worktree', 'add', '-q', tree, 'HEAD~1', '--detach');
    const long = temporaryDirectory();
    git(long, 'init', '-q', '--object-format=sha256');
    write(long, { 'a.txt': 'x' });
    git(long, 'add', '-A');
    for (const path of [root, empty, tree, long, join(above, 'sub')]) {
      const before = await taken(path);
      expect([path, before.kind]).toEqual([path, 'git']);
      write(path, { 'new/deep.txt': 'n\n' });
      write(above, { 'a.txt': 'not in the workspace' });
      const diff = await diffSince(path, before, PATIENT);
      expect([path, changesOf(diff)]).toEqual([path, ['added new/deep.txt']]);
      expect(diff.patch).toContain('+n\n');
      rmSync(join(path, 'new'), { recursive: true });
    }
  });

  test('[Q16] [H9] a config file full of line breaks is read in linear time', async () => {
    const root = repository({ 'a.txt': 'a\n' });
    // Searched line break by line break, it would take minutes.
    appendFileSync(join(root, '.git', 'config'), '\n'.repeat(200_000));
    const before = await taken(root);
    expect(before.kind).toBe('git');
    write(root, { 'a.txt': 'b\n' });
    expect(await changesSince(root, before)).toEqual(['modified a.txt']);
  });

  test('[Q16] that ignores the workspace does not hide what is done there', async () => {
    const home = repository({ '.gitignore': '*\n' });
    mkdirSync(join(home, 'work'));
    const before = await taken(join(home, 'work'));
    expect(before.kind).toBe('folder');
    write(home, { 'work/a.txt': 'a' });
    expect(await changesSince(join(home, 'work'), before)).toEqual(['added a.txt']);
  });

  test('[Q16] what Baton has kept of it outlives what the repository throws away', async () => {
    const root = repository({ 'a.txt': 'a\n' });
    write(root, { 'a.txt': 'b\n' });
    const before = await taken(root);
    git(root, 'gc', '-q', '--prune=now');
    write(root, { 'a.txt': 'c\n' });
    expect((await diffSince(root, before, PATIENT)).patch).toContain('-b\n+c\n');
  });

  test('[Q16] whose objects were thrown away says so', async () => {
    const root = repository({ 'a.txt': 'a', 'sub/b.txt': 'b' });
    const before = await taken(root);
    git(root, 'checkout', '-q', '--orphan', 'other');
    write(root, { 'a.txt': 'c', 'sub/b.txt': 'd' });
    git(root, 'commit', '-q', '-am', 'all new');
    for (const branch of git(root, 'for-each-ref', '--format=%(refname)').trim().split('\n')) {
      if (!branch.endsWith('/other')) git(root, 'update-ref', '-d', branch);
    }
    git(root, 'reflog', 'expire', '--expire=now', '--all');
    git(root, 'gc', '-q', '--prune=now');
    const diff = await diffSince(root, before, PATIENT);
    expect(diff).toMatchObject({ truncated: true, note: expect.stringContaining('no longer') });
    rmSync(join(root, '.git'), { recursive: true });
    expect((await diffSince(root, before, PATIENT)).note).toContain('no longer');
  });

  test('[E8] untracked files are readable only by our user, and are kept only while they are needed', async () => {
    const root = repository({ 'a.txt': 'a' });
    const { keep } = PATIENT;
    const kept = (): number =>
      readdirSync(join(keep, 'objects'), { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      ).length;
    for (let i = 0; i < 400; i++) write(root, { [`untracked/${i}`]: `first ${i}` });
    await takeSnapshot(root, { ...PATIENT, isFirst: true });
    expect(kept()).toBeGreaterThan(400);
    expect(statSync(keep).mode & 0o777).toBe(0o700);
    expect(readdirSync(keep)).toEqual(['objects']);
    rmSync(join(root, 'untracked'), { recursive: true });
    write(root, { 'b.txt': 'b\n' });
    const before = await takeSnapshot(root, { ...PATIENT, isFirst: true });
    expect(kept()).toBeLessThan(10);
    write(root, { 'b.txt': 'B\n' });
    expect((await diffSince(root, before, PATIENT)).patch).toContain('-b\n+B\n');
  });

  test('[Q16] of an incomplete snapshot, stored untracked files are not reported as deleted', async () => {
    const root = repository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
    write(root, { 'stored.txt': 's\n', 'changed.txt': 'c\n', 'gone.txt': 'g\n', 'sub/s.txt': 's' });
    const before = await taken(root);
    expect(before).toMatchObject({ kind: 'git', truncated: false });
    write(root, { 'changed.txt': 'C\n', 'sub/s.txt': 'S' });
    rmSync(join(root, 'gone.txt'));
    // As if the snapshot had been cut short, long after these files were last changed.
    const partial = { ...before, truncated: true, at: Date.now() + 5000 } as Snapshot;
    expect(await changesSince(root, partial)).toEqual([
      'deleted gone.txt',
      'modified changed.txt',
      'modified sub/s.txt',
    ]);
    expect(await changesSince(join(root, 'sub'), partial)).toEqual(['modified s.txt']);
  });

  test.each(['--assume-unchanged', '--skip-worktree'])(
    '[Q16] a change cannot be hidden with %s',
    async (flag) => {
      const root = repository({ 'a.txt': 'a\n', 'gone.txt': 'g\n', 'sub/b.txt': 'b\n' });
      const before = await taken(root);
      git(root, 'update-index', flag, 'a.txt', 'gone.txt', 'sub/b.txt');
      write(root, { 'a.txt': 'A\n', 'sub/b.txt': 'B\n' });
      const diff = await diffSince(root, before, PATIENT);
      expect(changesOf(diff)).toEqual(['modified a.txt', 'modified sub/b.txt']);
      expect(diff.patch).toContain('-a\n+A\n');
      expect(changesOf(await diffSince(root, await taken(root), PATIENT))).toEqual([]);
    },
  );

  test('[Q16] a deletion cannot be hidden with --assume-unchanged', async () => {
    const root = repository({ 'a.txt': 'a\n', 'gone.txt': 'g\n' });
    const before = await taken(root);
    git(root, 'update-index', '--assume-unchanged', 'gone.txt');
    rmSync(join(root, 'gone.txt'));
    expect(await changesSince(root, before)).toEqual(['deleted gone.txt']);
  });

  test('[Q16] files that a sparse checkout leaves out are not deleted', async () => {
    const root = repository({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'out/c.txt': 'c\n' });
    git(root, 'sparse-checkout', 'set', '--cone', 'in');
    const before = await taken(root);
    write(root, { 'in/a.txt': 'A\n' });
    expect(await changesSince(root, before)).toEqual(['modified in/a.txt']);
    write(root, { 'out/b.txt': 'B\n' });
    expect(await changesSince(root, before)).toEqual(['modified in/a.txt', 'modified out/b.txt']);
  });

  test('[Q16] [E8] a file in another encoding than it should have does not make it a plain folder', async () => {
    const root = repository({ '.gitignore': 'secret\n', 'a.txt': 'a\n' });
    const before = await taken(root);
    write(root, { '.gitattributes': '*.txt working-tree-encoding=UTF-16\n', secret: 's' });
    write(root, { 'b.txt': 'b\n' });
    expect((await taken(root)).kind).toBe('git');
    expect(await changesSince(root, before)).toEqual(['added .gitattributes', 'added b.txt']);
  });

  test('[Q16] with a split index is not taken for a plain folder', async () => {
    const root = repository({ '.gitignore': 'out\n', 'a.txt': 'a\n' });
    git(root, 'update-index', '--split-index');
    write(root, { 'a.txt': 'b\n', 'out/secret.txt': 's\n' });
    git(root, 'add', 'a.txt');
    const before = await taken(root);
    expect(before).toMatchObject({ kind: 'git', truncated: false });
    write(root, { 'a.txt': 'c\n', 'out/secret.txt': 'S\n' });
    expect(await changesSince(root, before)).toEqual(['modified a.txt']);
  });

  test('[Q16] in a folder whose name git would take for several', async () => {
    const root = join(temporaryDirectory(), 'a:b "c" \\d');
    mkdirSync(root);
    git(root, 'init', '-q');
    write(root, { 'a.txt': 'a\n' });
    git(root, 'add', '-A');
    const before = await taken(root);
    write(root, { 'a.txt': 'b\n' });
    const diff = await diffSince(root, before, PATIENT);
    expect([before.kind, diff.patch]).toEqual(['git', expect.stringContaining('-a\n+b\n')]);
  });

  test('[Q16] with nested repositories says that those were not compared', async () => {
    const inner = repository({ 'inner.txt': 'i\n' });
    const root = repository({ 'a.txt': 'a\n' });
    const note = expect.stringContaining('not compared');
    const alone = await taken(root);
    expect(await diffSince(root, alone, PATIENT)).toEqual({ files: [], truncated: false });
    git(root, 'clone', '-q', inner, 'cloned');
    const before = await taken(root);
    write(root, { 'cloned/inner.txt': 'other' });
    expect(await diffSince(root, before, PATIENT)).toEqual({ files: [], truncated: true, note });
    rmSync(join(root, 'cloned'), { recursive: true });
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'module');
    git(root, 'commit', '-q', '-m', 'module');
    const later = await taken(root);
    write(root, { 'module/inner.txt': 'other' });
    expect(await diffSince(root, later, PATIENT)).toEqual({ files: [], truncated: true, note });
  });

  test('[A12] nothing that a repository or its submodule names is started', async () => {
    const proof = join(temporaryDirectory(), 'started');
    const touch = `touch ${proof}; cat`;
    const inner = repository({ 'inner.txt': 'i\n', '.gitattributes': '* filter=evil diff=evil\n' });
    const root = repository({ 'a.txt': 'a\n', '.gitattributes': '* filter=evil diff=evil\n' });
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'module');
    git(root, 'commit', '-q', '-m', 'module');
    for (const each of [root, join(root, 'module')]) {
      const set = (name: string, value: string) => git(each, 'config', name, value);
      for (const name of ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process']) {
        set(name, touch);
      }
      for (const name of ['core.fsmonitor', 'diff.evil.textconv', 'diff.evil.command']) {
        set(name, touch);
      }
      for (const name of ['diff.external', 'core.sshCommand', 'core.alternateRefsCommand']) {
        set(name, touch);
      }
      const hooks = git(each, 'rev-parse', '--absolute-git-dir').trim();
      for (const hook of ['post-index-change', 'pre-auto-gc', 'reference-transaction']) {
        mkdirSync(join(hooks, 'hooks'), { recursive: true });
        writeFileSync(join(hooks, 'hooks', hook), `#!/bin/sh\n${touch}\n`, { mode: 0o755 });
      }
    }
    appendFileSync(
      join(root, '.git/config'),
      `[remote "o"]\n\turl = ext::sh -c ${proof}\n\tpromisor = true\n`,
    );
    appendFileSync(join(root, '.git/config'), `[core]\n\tworktree = ${tmpdir()}\n`);
    rmSync(proof, { force: true });
    const before = await taken(root);
    expect(before.kind).toBe('git');
    write(root, { 'a.txt': 'A\n', 'new.txt': 'n\n', 'module/inner.txt': 'I\n' });
    const diff = await diffSince(root, before, PATIENT);
    expect(changesOf(diff)).toEqual(['added new.txt', 'modified a.txt']);
    expect(diff.patch).toContain('-a\n+A\n');
    expect(existsSync(proof)).toBe(false);
  });
});

describe('[Q16] another user’s .git', () => {
  const SECRET = 'DB_PASSWORD=only-we-may-read-this\n';

  /** All that is in a folder, packed or not. */
  const contentOf = (folder: string): string =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => {
        const content = readFileSync(join(one.parentPath, one.name));
        try {
          return inflateSync(content).toString('latin1');
        } catch {
          return content.toString('latin1');
        }
      })
      .join('\n');

  /** Root can give files away. Anybody else can point at another user's files: root's. */
  const canGive = process.geteuid?.() === 0;
  const NOBODY = 65_534;

  test('gets nothing of the files, and is as if it were not there', async () => {
    const shared = temporaryDirectory();
    git(shared, 'init', '-q');
    const work = join(shared, 'proj');
    write(work, { '.env': SECRET });
    if (canGive) execFileSync('chown', ['-R', `${NOBODY}`, join(shared, '.git')]);
    else {
      rmSync(join(shared, '.git'), { recursive: true });
      symlinkSync('/etc', join(shared, '.git'));
    }
    const before = await taken(work);
    expect(before.kind).toBe('folder');
    write(work, { '.env': `${SECRET}more\n` });
    expect(await changesSince(work, before)).toEqual(['modified .env']);
    if (canGive) expect(contentOf(join(shared, '.git'))).not.toContain('DB_PASSWORD');
  });

  test('is not used through a link, a file that names it, or a common directory either', async () => {
    const theirs = canGive ? repository({}) : '/';
    const gitDir = canGive ? join(theirs, '.git') : '/etc';
    if (canGive) execFileSync('chown', ['-R', `${NOBODY}`, gitDir]);
    const linked = directory({ 'a.txt': 'a' });
    symlinkSync(gitDir, join(linked, '.git'));
    const named = directory({ '.git': `gitdir: ${gitDir}\n`, 'a.txt': 'a' });
    const common = repository({ 'a.txt': 'a' });
    write(common, { '.git/commondir': `${gitDir}\n` });
    for (const root of [linked, named, common]) {
      expect([root, (await taken(root)).kind]).toEqual([root, 'folder']);
    }
  });

  test('nor is another user’s link or file that leads to one of ours', async () => {
    const ours = repository({ 'a.txt': 'a' });
    const named = directory({ '.git': `gitdir: ${join(ours, '.git')}\n`, 'a.txt': 'a' });
    expect((await taken(named)).kind).toBe('git');
    if (canGive) {
      execFileSync('chown', [`${NOBODY}`, join(named, '.git')]);
      expect((await taken(named)).kind).toBe('folder');
      const linked = directory({ 'a.txt': 'a' });
      symlinkSync(join(ours, '.git'), join(linked, '.git'));
      expect((await taken(linked)).kind).toBe('git');
      execFileSync('chown', ['-h', `${NOBODY}`, join(linked, '.git')]);
      expect((await taken(linked)).kind).toBe('folder');
    }
  });

  test('our own repository gets nothing of untracked files either', async () => {
    const root = repository({ 'a.txt': 'a' });
    write(root, { '.env': SECRET });
    const before = await taken(root);
    expect(before.kind).toBe('git');
    expect(contentOf(join(root, '.git'))).not.toContain('DB_PASSWORD');
    expect(contentOf(PATIENT.keep)).toContain('DB_PASSWORD');
  });
});
