import { expect } from 'vitest';
import { ADMIN_ID } from '../../contract/access.ts';
import { newId } from '../../contract/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { type AccessRule, HOUR, MINUTE } from './rig.ts';

export function userRules(rule: AccessRule): void {
  rule('[X2] every installation has its administrator, who cannot be locked out', async (bench) => {
    const { store } = bench;
    const admin = await store.getUser(ADMIN_ID);
    expect(admin).toMatchObject({ id: ADMIN_ID, name: 'admin', role: 'admin', disabledAt: null });
    for (const change of [{ disabled: true }, { role: 'viewer' as const }, { name: 'root' }])
      await expect(store.updateUser(ADMIN_ID, change)).rejects.toEqual(refused('last_admin'));
    expect(await store.getUser(ADMIN_ID)).toEqual(admin);
    await store.updateUser(ADMIN_ID, { role: 'admin', disabled: false });
  });

  rule('[X2] a name belongs to one user, letter case aside', async (bench) => {
    const { store } = bench;
    const ann = await bench.user({ name: 'Ann', role: 'viewer' });
    expect(ann).toMatchObject({ name: 'Ann', role: 'viewer', createdAt: bench.now });
    await expect(bench.user({ name: 'aNN' })).rejects.toEqual(refused('user_exists'));
    await expect(bench.user({ name: 'Admin' })).rejects.toEqual(refused('user_exists'));
    const bob = await bench.user({ name: 'bob' });
    await expect(store.updateUser(bob.id, { name: 'ANN' })).rejects.toEqual(refused('user_exists'));
    expect(await store.updateUser(ann.id, { name: 'ann' })).toEqual({ ...ann, name: 'ann' });
    const made = await Promise.allSettled(
      Array.from({ length: 4 }, () => bench.user({ name: 'eve' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  rule('[X2] a user is found by id or name, and the id comes first', async (bench) => {
    const { store } = bench;
    const ann = await bench.user({ name: 'Ann' });
    const odd = await bench.user({ name: ann.id });
    expect(await store.findUser('aNN')).toEqual(ann);
    expect(await store.findUser(ann.id)).toEqual(ann);
    expect(await store.getUser(odd.id)).toEqual(odd);
    for (const none of ['', 'nobody', '\0', "'"]) {
      expect(await store.findUser(none)).toBeNull();
      expect(await store.getUser(none)).toBeNull();
    }
    await expect(store.updateUser(newId(), {})).rejects.toEqual(refused('not_found'));
  });

  rule('[H1] users are listed by name, page by page', async (bench) => {
    for (const name of ['carl', 'Bea', 'dora']) await bench.user({ name });
    const names = async (page: { limit: number; after?: string }): Promise<string[]> =>
      (await bench.store.listUsers(page)).map(({ name }) => name);
    expect(await names({ limit: 10 })).toEqual(['admin', 'Bea', 'carl', 'dora']);
    expect(await names({ limit: 2 })).toEqual(['admin', 'Bea']);
    expect(await names({ limit: 2, after: 'Bea' })).toEqual(['carl', 'dora']);
  });

  rule('[X2] a token is valid until it ends, is revoked, or its user locked out', async (bench) => {
    const { store } = bench;
    const ann = await bench.user();
    const made = bench.newToken(ann.id, { scopes: ['read'], channel: 'cli', through: ['web'] });
    const token = await store.createToken(made);
    const { digest, expiresInMs: _, notAfter: __, ...shown } = made;
    expect(token).toEqual({
      ...shown,
      createdAt: bench.now,
      expiresAt: bench.now + HOUR,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(await store.findToken(digest)).toEqual({ token, user: ann });
    expect(await store.findToken(token.id)).toBeNull();
    bench.now += HOUR - 1;
    expect(await store.findToken(digest)).toMatchObject({ token: { id: token.id } });
    bench.now += 1;
    expect(await store.findToken(digest)).toBe('expired');
    await store.updateUser(ann.id, { disabled: true });
    expect(await store.findToken(digest)).toBe('disabled');
    await store.revokeToken(token.id);
    expect(await store.findToken(digest)).toBe('revoked');
  });

  rule('[X2] a token ends with what made it; one without an end does not', async (bench) => {
    const { store } = bench;
    const ann = await bench.user();
    const end = async (expiresInMs: number | null, notAfter: number | null) =>
      (await store.createToken(bench.newToken(ann.id, { expiresInMs, notAfter }))).expiresAt;
    expect(await end(null, null)).toBeNull();
    expect(await end(null, bench.now + MINUTE)).toBe(bench.now + MINUTE);
    expect(await end(HOUR, bench.now + MINUTE)).toBe(bench.now + MINUTE);
    expect(await end(MINUTE, bench.now + HOUR)).toBe(bench.now + MINUTE);
    await expect(store.createToken(bench.newToken(newId()))).rejects.toEqual(
      refused('unknown_user'),
    );
  });

  rule('[X2] revoking again changes nothing', async (bench) => {
    const { store } = bench;
    const ann = await bench.user();
    const { id } = await store.createToken(bench.newToken(ann.id));
    const revoked = await store.revokeToken(id);
    expect(revoked.revokedAt).toBe(bench.now);
    bench.now += MINUTE;
    expect(await store.revokeToken(id)).toEqual(revoked);
    expect(await store.getToken(id)).toEqual(revoked);
    await expect(store.revokeToken(newId())).rejects.toEqual(refused('not_found'));
    expect(await store.getToken(newId())).toBeNull();
  });

  rule('[H1] tokens are listed newest first, of one user or of all', async (bench) => {
    const { store } = bench;
    const [ann, bob] = [await bench.user(), await bench.user()];
    const ids: string[] = [];
    for (const user of [ann, bob, ann])
      ids.unshift((await store.createToken(bench.newToken(user.id))).id);
    const listed = async (page: Parameters<typeof store.listTokens>[0]): Promise<string[]> =>
      (await store.listTokens(page)).map(({ id }) => id);
    expect(await listed({ limit: 10 })).toEqual(ids);
    expect(await listed({ limit: 10, userId: ann.id })).toEqual([ids[0], ids[2]]);
    expect(await listed({ limit: 1, before: ids[0] as string })).toEqual([ids[1]]);
    await store.touchTokens([ids[0] as string, newId()]);
    const [used, unused] = await store.listTokens({ limit: 2 });
    expect([used?.lastUsedAt, unused?.lastUsedAt]).toEqual([bench.now, null]);
    await store.touchTokens([]);
  });
}
