import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testRuntime } from '../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { newId } from '../contract/values/ids.ts';
import { providerConformance } from './conformance/provider.ts';
import { directoryProvider } from './directory.ts';
import { WorkspaceError } from './provider.ts';
import { workspaceProviders } from './providers.ts';
import { removeTree } from './remove-tree.ts';
import type { Runtime } from './runtime.ts';

const runtimeOf = ({ id, root }: Pick<Runtime, 'id' | 'root'>) => testRuntime(root, { id });

function rig() {
  const base = realpathSync(temporaryDirectory());
  const dataDir = join(base, 'data');
  mkdirSync(dataDir);
  const provider = directoryProvider({ dataDir, runtimeOf });
  const sessionId = newId();
  const given = (path?: string) => ({
    sessionId,
    spec: { provider: 'directory' as const, ...(path !== undefined && { path }) },
  });
  return { base, dataDir, provider, sessionId, given };
}

const fresh = { provider: 'directory' as const };
describe('a fresh directory', () => {
  providerConformance(() => ({ provider: rig().provider, spec: fresh }));
});

describe('a fresh directory', () => {
  test('[W1] lies under the data directory, for its owner only', async () => {
    const { provider, dataDir, sessionId, given } = rig();
    const { root: path } = await provider.ensure(given());
    expect(path).toBe(join(dataDir, 'workspaces', sessionId));
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test('[W1] is never made outside of it, whatever the session is called', async () => {
    const { provider, given, base } = rig();
    for (const sessionId of ['../../away', '', '.', '/etc']) {
      const request = { ...given(), sessionId };
      await expect(provider.ensure(request)).rejects.toThrow('a session id is a UUID');
      await expect(provider.delete(request)).rejects.toThrow('a session id is a UUID');
    }
    expect(existsSync(join(base, 'away'))).toBe(false);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link', (path: string) => symlinkSync('/', path)],
  ])('[W1] is refused where %s is in its place', async (_, put) => {
    const { provider, dataDir, sessionId, given } = rig();
    mkdirSync(join(dataDir, 'workspaces'));
    put(join(dataDir, 'workspaces', sessionId));
    await expect(provider.ensure(given())).rejects.toThrow(WorkspaceError);
  });

  test('[W1] is deleted without what its links lead to', async () => {
    const { provider, base, given } = rig();
    const { root: path } = await provider.ensure(given());
    mkdirSync(join(base, 'precious'));
    writeFileSync(join(base, 'precious/file'), '');
    symlinkSync(join(base, 'precious'), join(path, 'link'));
    await provider.delete(given());
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(base, 'precious/file'))).toBe(true);
  });

  test('[W1] is deleted with directories that nobody may write to', async () => {
    const { base } = rig();
    const tree = join(base, 'tree');
    mkdirSync(join(tree, 'closed/inner'), { recursive: true });
    writeFileSync(join(tree, 'closed/inner/file'), '');
    chmodSync(join(tree, 'closed/inner'), 0o500);
    chmodSync(join(tree, 'closed'), 0o500);
    await asOrdinaryUser(base, async () => {
      await expect(rm(tree, { recursive: true })).rejects.toThrow('EACCES');
      await removeTree(tree);
    });
    expect(existsSync(tree)).toBe(false);
  });

  test('[W1] is deleted however deep it is', async () => {
    const { provider, given } = rig();
    const { root: path } = await provider.ensure(given());
    // In total longer than any path that a system accepts, so it is built from the bottom up.
    const part = join('next', ...Array<string>(10).fill('n'.repeat(50)));
    for (let i = 0; i < 10; i++) {
      mkdirSync(join(path, part), { recursive: true });
      if (i > 0) renameSync(join(path, 'deep'), join(path, part, 'deeper'));
      renameSync(join(path, 'next'), join(path, 'deep'));
    }
    await provider.delete(given());
    expect(existsSync(path)).toBe(false);
  });
});

/** Root may write everything, so it becomes somebody else, to whom the directory then belongs. */
async function asOrdinaryUser(base: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  const nobody = 65_534;
  for (const path of [base, ...readdirSync(base, { recursive: true, encoding: 'utf8' })]) {
    chownSync(resolve(base, path), nobody, nobody);
  }
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a directory that is given', () => {
  test('[W1] is used as it is and never removed', async () => {
    const { provider, base, given } = rig();
    const path = join(base, 'project');
    mkdirSync(path);
    symlinkSync(path, join(base, 'link'));
    expect((await provider.ensure(given(path))).root).toBe(path);
    expect((await provider.ensure(given(join(base, 'link')))).root).toBe(path);
    expect(await provider.observe(given(path))).toBe('ready');
    await provider.delete(given(path));
    expect(existsSync(path)).toBe(true);
  });

  test('[W1] must be there', async () => {
    const { provider, base, given } = rig();
    const missing = join(base, 'missing');
    await expect(provider.ensure(given(missing))).rejects.toThrow(
      `The directory ${missing} does not exist. Create it first, or omit the path to get a new one.`,
    );
    expect(await provider.observe(given(missing))).toBe('missing');
    expect(existsSync(missing)).toBe(false);
    const file = join(base, 'file');
    writeFileSync(file, '');
    await expect(provider.ensure(given(file))).rejects.toThrow('is not a directory');
    expect(await provider.observe(given(join(file, 'inside')))).toBe('missing');
  });

  test('[W1] an error while checking does not count as missing', async () => {
    const { provider, given } = rig();
    const tooLong = `/${'x'.repeat(300)}`;
    await expect(provider.observe(given(tooLong))).rejects.toThrow('ENAMETOOLONG');
  });

  test.each([
    ['the data directory', (data: string) => data],
    ['a directory above it', (data: string) => dirname(data)],
    ['the root', () => '/'],
    ['a directory in it', (data: string) => join(data, 'workspaces')],
    ['another session’s workspace', (data: string) => join(data, 'workspaces/other')],
    ['a link to it', (data: string) => join(dirname(data), 'link')],
    ['a way round to it', (data: string) => `${data}/workspaces/..`],
  ])('[W1] must not be %s', async (_, choose) => {
    const { provider, dataDir, base, given } = rig();
    mkdirSync(join(dataDir, 'workspaces/other'), { recursive: true });
    symlinkSync(dataDir, join(base, 'link'));
    await expect(provider.ensure(given(choose(dataDir)))).rejects.toThrow(
      /cannot be a workspace: .* Baton's data directory .* Choose another directory/,
    );
  });

  test('[P7] must not be nested too deeply, not even behind a link', async () => {
    const { provider, base, given } = rig();
    const deep = join(base, 'd/'.repeat(300));
    mkdirSync(deep, { recursive: true });
    symlinkSync(deep, join(base, 'link'));
    await expect(provider.ensure(given(join(base, 'link')))).rejects.toThrow(
      /cannot be a workspace: it is nested too deeply/,
    );
  });

  test('[P7] must not be another of Baton’s own directories, nor lie in one', async () => {
    const { base, dataDir, given } = rig();
    mkdirSync(join(base, 'login/deep'), { recursive: true });
    const provider = directoryProvider({
      dataDir,
      runtimeOf,
      ownPaths: [join(base, 'login'), join(base, 'no')],
    });
    for (const name of ['login', 'login/deep']) {
      await expect(provider.ensure(given(join(base, name)))).rejects.toThrow(
        'cannot be a workspace',
      );
    }
  });

  test('[P7] must not contain a database outside the data directory', async () => {
    const { base, dataDir, given } = rig();
    const [project, other] = [join(base, 'project'), join(base, 'other')];
    for (const folder of ['project/db', 'project/src', 'other', 'project/linked'])
      mkdirSync(join(base, folder), { recursive: true });
    for (const file of [join(project, 'db/x.db'), join(other, 'y.db')]) writeFileSync(file, '');
    symlinkSync(join(other, 'y.db'), join(project, 'linked/y.db'));
    symlinkSync(join(project, 'db'), join(base, 'way'));
    for (const [file, refused, free] of [
      ['project/db/x.db', ['project', 'project/db'], ['project/src', 'other']],
      ['way/x.db', ['project', 'project/db', 'way'], ['project/src']],
      ['project/linked/y.db', ['project', 'project/linked', 'other'], ['project/db']],
    ] as const) {
      const database = join(base, file);
      const provider = directoryProvider({ dataDir, runtimeOf, ownPaths: [database], database });
      for (const name of refused)
        await expect(provider.ensure(given(join(base, name)))).rejects.toThrow(
          `The directory ${join(base, name)} cannot be a workspace: it contains Baton's database (${database}), which an agent must not access. Choose another directory, or omit the path to get a new one.`,
        );
      for (const name of free)
        expect((await provider.ensure(given(join(base, name)))).root).toBe(join(base, name));
    }
  });

  test('[W1] may have a name that begins like the data directory’s', async () => {
    const { provider, base, given } = rig();
    for (const name of ['data2', '..data']) {
      mkdirSync(join(base, name));
      expect((await provider.ensure(given(join(base, name)))).root).toBe(join(base, name));
    }
  });

  test('[W1] may be the session’s own workspace', async () => {
    const { provider, given } = rig();
    const { root: path } = await provider.ensure(given());
    expect((await provider.ensure(given(path))).root).toBe(path);
  });
});

test('[W1] what belongs to other providers is refused, not ignored', async () => {
  const { provider, given } = rig();
  for (const field of ['repository', 'baseBranch', 'image']) {
    const spec = { ...given().spec, [field]: 'x' };
    await expect(provider.ensure({ ...given(), spec })).rejects.toThrow(
      `does not support ${field}`,
    );
  }
  expect(await provider.observe(given())).toBe('missing');
});

describe('providers', () => {
  test.each(['worktree', 'container', 'coder'] as const)('[W1] %s is refused by name', (name) => {
    const providerOf = workspaceProviders(rig().provider);
    expect(providerOf('directory').local).toBe(true);
    expect(() => providerOf(name)).toThrow(
      expect.objectContaining({
        code: 'not_available',
        message: `Workspaces of the provider ${name} are not available in this version; use directory.`,
      }),
    );
  });
});
