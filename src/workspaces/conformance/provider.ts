import { expect, test } from 'vitest';
import type { WorkspaceSpec } from '../../contract/session.ts';
import { newId } from '../../contract/values/ids.ts';
import type { WorkspaceProvider } from '../provider.ts';
import type { Runtime } from '../runtime.ts';

export interface ProviderUnderTest {
  readonly provider: WorkspaceProvider;
  /** What a session that asks for nothing in particular gets. */
  readonly spec: WorkspaceSpec;
}

/**
 * What every provider of workspaces promises (W1). A workspace need not be on this machine, and
 * several may have the same path, each in its own container; so it is used only through its
 * runtime.
 */
export function providerConformance(make: () => ProviderUnderTest): void {
  const start = () => {
    const { provider, spec } = make();
    return { provider, request: { sessionId: newId(), spec } };
  };

  test('[W1] a workspace is missing before it is created, and ready afterwards', async () => {
    const { provider, request } = start();
    expect(await provider.observe(request)).toBe('missing');
    const runtime = await provider.ensure(request);
    expect(await provider.observe(request)).toBe('ready');
    expect(await runtime.inspect(runtime.root)).toEqual({ kind: 'folder' });
    expect(await namesIn(runtime)).toEqual([]);
    await runtime.files.write('file', 'text');
    expect(await runtime.inspect(`${runtime.root}/file`)).toEqual({ kind: 'file' });
  });

  test('[W1] ensuring a workspace again returns the same one with its content', async () => {
    const { provider, request } = start();
    const { id, root, files } = await provider.ensure(request);
    await files.write('file', 'text');
    const again = await Promise.all([provider.ensure(request), provider.ensure(request)]);
    for (const runtime of again) {
      expect([runtime.id, runtime.root]).toEqual([id, root]);
      expect((await runtime.files.read('file', 10)).toString()).toBe('text');
    }
  });

  test('[W1] two sessions have two workspaces', async () => {
    const { provider, request } = start();
    const other = { ...request, sessionId: newId() };
    const [one, two] = await Promise.all([provider.ensure(request), provider.ensure(other)]);
    expect(one.id).not.toBe(two.id);
    await one.files.write('one', '');
    await two.files.write('two', '');
    expect([await namesIn(one), await namesIn(two)]).toEqual([['one'], ['two']]);
    await provider.delete(request);
    expect(await provider.observe(other)).toBe('ready');
    expect(await namesIn(two)).toEqual(['two']);
  });

  test('[W1] a deleted workspace is missing, and may be deleted twice', async () => {
    const { provider, request } = start();
    const { files } = await provider.ensure(request);
    await files.write('a/b/file', 'text');
    await provider.delete(request);
    await provider.delete(request);
    expect(await provider.observe(request)).toBe('missing');
  });

  test('[W1] a deleted workspace can be created again, empty', async () => {
    const { provider, request } = start();
    const { files } = await provider.ensure(request);
    await files.write('a/b/file', 'text');
    await provider.delete(request);
    expect(await namesIn(await provider.ensure(request))).toEqual([]);
    expect(await provider.observe(request)).toBe('ready');
  });
}

const namesIn = async ({ files }: Runtime): Promise<string[]> =>
  (await files.list('.')).entries.map(({ name }) => name);
