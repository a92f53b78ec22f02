import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { withGitLimits } from './git-environment.ts';

/** A home directory that is a repository, with a data directory and a fresh workspace in it. */
function homeInGit() {
  const home = temporaryDirectory();
  const workspaces = join(home, '.baton', 'workspaces');
  const workspace = join(workspaces, 'one');
  mkdirSync(workspace, { recursive: true });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (cwd: string, environment: Record<string, string>, ...args: string[]) =>
    spawnSync('git', args, { cwd, env: environment, encoding: 'utf8' });
  git(home, env, 'init', '-q');
  git(home, env, 'commit', '-q', '--allow-empty', '-m', 'first');
  const key = join(home, '.baton', 'secret-key');
  writeFileSync(key, 'k');
  return { home, workspaces, workspace, key, env, git };
}

test('[P1] git of a workspace does not work on a repository above the workspaces', () => {
  const { home, workspaces, workspace, key, env, git } = homeInGit();
  const limited = withGitLimits(env, [workspaces]);
  for (const args of [['stash', '-u'], ['add', '-A', ':/'], ['checkout', '--', key], ['status']]) {
    expect(git(workspace, limited, ...args).stderr).toMatch(/not a git repository/i);
  }
  // Nor from a folder elsewhere in that repository, which somebody chose as a workspace.
  const chosen = join(home, 'chosen', 'deep');
  mkdirSync(chosen, { recursive: true });
  expect(git(chosen, limited, 'stash', '-u').stderr).toMatch(/not a git repository/i);
  // By another name of the data directory, too.
  symlinkSync(join(home, '.baton'), join(home, 'link'));
  const byLink = withGitLimits(env, [join(home, 'link', 'workspaces')]);
  expect(git(workspace, byLink, 'status').stderr).toMatch(/not a git repository/i);
  expect(existsSync(key)).toBe(true);
  expect(git(home, env, 'diff', '--cached', '--name-only').stdout).toBe('');
  // Its own repository, also from a folder in it.
  expect(git(workspace, limited, 'init', '-q').status).toBe(0);
  mkdirSync(join(workspace, 'sub'));
  expect(git(join(workspace, 'sub'), limited, 'rev-parse', '--show-cdup').stdout).toBe('../\n');
  git(join(home, 'chosen'), limited, 'init', '-q');
  expect(git(chosen, limited, 'rev-parse', '--show-cdup').stdout).toBe('../\n');
  // Without the limit the key is taken away.
  mkdirSync(join(workspaces, 'two'));
  expect(git(join(workspaces, 'two'), env, 'stash', '-u').status).toBe(0);
  expect(existsSync(key)).toBe(false);
});

test('[P1] git checkout changes no file outside its repository', () => {
  const { workspaces, workspace, key, env, git } = homeInGit();
  const limited = withGitLimits(env, [workspaces]);
  git(workspace, limited, 'init', '-q');
  git(workspace, limited, 'commit', '-q', '--allow-empty', '-m', 'first');
  for (const path of [key, '../../secret-key']) {
    const { status, stderr } = git(workspace, limited, 'checkout', '--', path);
    expect([status, stderr]).toEqual([128, expect.stringContaining('outside repository')]);
  }
  expect(readFileSync(key, 'utf8')).toBe('k');
});

test('[P1] a bare repository among the files of a workspace starts no program', () => {
  const { home, workspaces, workspace, env, git } = homeInGit();
  const sub = join(workspace, 'sub');
  const proof = join(home, 'proof');
  git(workspace, env, 'init', '-q', '--bare', 'sub');
  writeFileSync(
    join(sub, 'config'),
    `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "touch ${proof}; false"\n`,
  );
  git(sub, withGitLimits(env, [workspaces]), 'status');
  expect(existsSync(proof)).toBe(false);
  // The trap works.
  git(sub, env, 'status');
  expect(existsSync(proof)).toBe(true);
});

test('[A10] limits are added to those that are set', () => {
  const set = {
    GIT_CEILING_DIRECTORIES: '/srv::/mnt',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'a.b',
    GIT_CONFIG_VALUE_0: 'c',
  };
  expect(withGitLimits(set, ['/data/workspaces'])).toEqual({
    ...set,
    GIT_CEILING_DIRECTORIES: '/data/workspaces:/data:/:/srv::/mnt',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_1: 'safe.bareRepository',
    GIT_CONFIG_VALUE_1: 'explicit',
  });
  expect(withGitLimits({ GIT_CONFIG_COUNT: 'x' }, [])).toMatchObject({ GIT_CONFIG_COUNT: '1' });
});
