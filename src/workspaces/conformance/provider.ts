import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId } from '../../contract/ids.ts';
import type { WorkspaceSpec } from '../../contract/session.ts';
import type { WorkspaceProvider } from '../provider.ts';

export interface ProviderUnderTest {
  readonly provider: WorkspaceProvider;
  /** What a session that asks for nothing in particular gets. */
  readonly spec: WorkspaceSpec;
}

/** What every provider of workspaces promises (W1). */
export function providerConformance(make: () => ProviderUnderTest): void {
  const start = () => {
    const { provider, spec } = make();
    return { provider, request: { sessionId: newId(), spec } };
  };

  test('[W1] a workspace is missing before it is created, and ready afterwards', async () => {
    const { provider, request } = start();
    expect(await provider.observe(request)).toBe('missing');
    const { root: path } = await provider.ensure(request);
    expect(await provider.observe(request)).toBe('ready');
    expect(statSync(path).isDirectory()).toBe(true);
    writeFileSync(join(path, 'file'), 'text');
  });

  test('[W1] ensuring a workspace again returns the same one with its content', async () => {
    const { provider, request } = start();
    const { root: path } = await provider.ensure(request);
    writeFileSync(join(path, 'file'), 'text');
    const again = await Promise.all([provider.ensure(request), provider.ensure(request)]);
    expect(again.map(({ root }) => root)).toEqual([path, path]);
    expect(existsSync(join(path, 'file'))).toBe(true);
  });

  test('[W1] two sessions have two workspaces', async () => {
    const { provider, request } = start();
    const other = { ...request, sessionId: newId() };
    const [one, two] = await Promise.all([provider.ensure(request), provider.ensure(other)]);
    expect(one.root).not.toBe(two.root);
    await provider.delete(request);
    expect(await provider.observe(other)).toBe('ready');
  });

  test('[W1] deleting a workspace leaves nothing behind, and may be done twice', async () => {
    const { provider, request } = start();
    const { root: path } = await provider.ensure(request);
    mkdirSync(join(path, 'a/b'), { recursive: true });
    writeFileSync(join(path, 'a/b/file'), 'text');
    await provider.delete(request);
    await provider.delete(request);
    expect(await provider.observe(request)).toBe('missing');
    expect(existsSync(path)).toBe(false);
  });

  test('[W1] a deleted workspace can be created again, empty', async () => {
    const { provider, request } = start();
    const { root: path } = await provider.ensure(request);
    writeFileSync(join(path, 'file'), 'text');
    await provider.delete(request);
    const again = await provider.ensure(request);
    expect(existsSync(join(again.root, 'file'))).toBe(false);
    expect(await provider.observe(request)).toBe('ready');
  });
}
