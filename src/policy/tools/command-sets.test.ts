import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { inSet } from './command-sets.ts';
import { HOSTILE_OPTIONS } from './corpus/hostile-options.ts';
import { READ_ONLY } from './read-only-commands.ts';
import { SAFE } from './safe-commands.ts';
import { plainWords } from './words/plain-words.ts';

/** Programs that git and others can be made to start. */
const TRAPS = ['gpg', 'gpg2', 'less', 'more', 'pager', 'vi', 'vim', 'editor', 'ssh', 'pr', 'gzip'];

/** A repository with a signed commit, and a folder of fake programs that record when they are started. */
function signedRepository() {
  const root = temporaryDirectory();
  const [work, traps, proof] = [join(root, 'work'), join(root, 'traps'), join(root, 'started')];
  for (const folder of [work, traps]) mkdirSync(folder);
  for (const name of TRAPS) {
    writeFileSync(join(traps, name), `#!/bin/sh\necho ${name} >> ${proof}\n`, { mode: 0o755 });
  }
  const env = {
    PATH: `${traps}:${process.env['PATH'] ?? ''}`,
    HOME: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_PAGER: 'less',
    GIT_EDITOR: 'vi',
  };
  const git = (args: readonly string[], input?: string): string =>
    execFileSync('git', args, { cwd: work, env, encoding: 'utf8', input }).trim();
  git(['init', '-q']);
  writeFileSync(join(work, 'package.json'), '{}\n');
  writeFileSync(join(work, 'a.ts'), 'needle\n'.repeat(30));
  git(['add', '-A']);
  const person = 'A <a@example.com> 1700000000 +0000';
  const commit = [
    `tree ${git(['write-tree'])}`,
    `author ${person}`,
    `committer ${person}`,
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' ',
    ' iQEzBAABCAAdFiEE',
    ' -----END PGP SIGNATURE-----',
    '',
    'signed',
    '',
  ].join('\n');
  git(['update-ref', 'HEAD', git(['hash-object', '-t', 'commit', '-w', '--stdin'], commit)]);
  const starts = (words: readonly string[]): boolean => {
    rmSync(proof, { force: true });
    spawnSync(words[0]!, words.slice(1), { cwd: work, env, stdio: 'ignore', timeout: 30_000 });
    return existsSync(proof);
  };
  return { work, starts };
}

const wordsOf = (command: string): readonly string[] => plainWords(command).words!;

test('[P1] git commands in read-only start no program and write no file', () => {
  const { work, starts } = signedRepository();
  // The traps work.
  expect(starts(wordsOf('git log --show-signature -1'))).toBe(true);
  expect(starts(wordsOf('git log "--format=%h %+G?"'))).toBe(true);
  expect(starts(wordsOf('git grep --open-files-in-pager=less needle'))).toBe(true);
  const allowed = HOSTILE_OPTIONS.filter(({ line }) => line === 'allow').map(({ command }) =>
    wordsOf(command),
  );
  const ofGit = allowed.filter(([program]) => program === 'git');
  expect(ofGit.length).toBeGreaterThan(15);
  const before = readdirSync(work);
  for (const words of ofGit) expect([words, starts(words)]).toEqual([words, false]);
  expect(readdirSync(work)).toEqual(before);
});

test('[P1] a command with an unlisted option is not in its set', () => {
  for (const { words, only } of [...READ_ONLY, ...SAFE]) {
    if (only === undefined) continue;
    for (const option of ['--new-option', '--new-option=x', '-?']) {
      const call = [...words.split(' '), option];
      expect([call, inSet('safe', call)]).toEqual([call, false]);
      const afterDashes = [...words.split(' '), '--', option];
      expect([afterDashes, inSet('safe', afterDashes)]).toEqual([afterDashes, false]);
    }
  }
});

test('[P1] paths in safe commands must be inside the workspace, relative or absolute', () => {
  const touch = (path: string, cwd?: string) => inSet('safe', ['touch', path], cwd);
  expect(touch('/srv/app/src/a', '/srv/app')).toBe(true);
  expect(touch('/srv/app/src/a')).toBe(false);
  expect(touch('/srv/apple/a', '/srv/app')).toBe(false);
  expect(touch('/srv/app/../a', '/srv/app')).toBe(false);
  expect(touch('/srv/app/.git/a', '/srv/app')).toBe(false);
});
