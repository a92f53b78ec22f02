import { expect } from 'vitest';
import { ADMIN_ID } from '../../contract/access.ts';
import { newId } from '../../contract/values/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { type AccessRule, HOUR, MINUTE } from './rig.ts';

export function userRules(rule: AccessRule): void {
  rule('[X2] every installation has an administrator, who cannot be disabled', async (rig) => {
    const { store } = rig;
    const admin = await store.getUser(ADMIN_ID);
    expect(admin).toMatchObject({ id: ADMIN_ID, name: 'admin', role: 'admin', disabledAt: null });
    for (const change of [{ disabled: true }, { role: 'viewer' as const }, { name: 'root' }])
      await expect(store.updateUser(ADMIN_ID, change)).rejects.toEqual(refused('last_admin'));
    expect(await store.getUser(ADMIN_ID)).toEqual(admin);
    await store.updateUser(ADMIN_ID, { role: 'admin', disabled: false });
  });

  rule('[X2] a name belongs to one user, ignoring case', async (rig) => {
    const { store } = rig;
    const ann = await rig.user({ name: 'Ann', role: 'viewer' });
    expect(ann).toMatchObject({ name: 'Ann', role: 'viewer', createdAt: rig.now });
    await expect(rig.user({ name: 'aNN' })).rejects.toEqual(refused('user_exists'));
    await expect(rig.user({ name: 'Admin' })).rejects.toEqual(refused('user_exists'));
    const bob = await rig.user({ name: 'bob' });
    await expect(store.updateUser(bob.id, { name: 'ANN' })).rejects.toEqual(refused('user_exists'));
    expect(await store.updateUser(ann.id, { name: 'ann' })).toEqual({ ...ann, name: 'ann' });
    const made = await Promise.allSettled(
      Array.from({ length: 4 }, () => rig.user({ name: 'eve' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  rule('[X2] a user is looked up by id or name, and the id comes first', async (rig) => {
    const { store } = rig;
    const ann = await rig.user({ name: 'Ann' });
    const odd = await rig.user({ name: ann.id });
    expect(await store.findUser('aNN')).toEqual(ann);
    expect(await store.findUser(ann.id)).toEqual(ann);
    expect(await store.getUser(odd.id)).toEqual(odd);
    for (const none of ['', 'nobody', '\0', "'"]) {
      expect(await store.findUser(none)).toBeNull();
      expect(await store.getUser(none)).toBeNull();
    }
    await expect(store.updateUser(newId(), {})).rejects.toEqual(refused('not_found'));
  });

  rule('[H1] users are listed by name, page by page', async (rig) => {
    for (const name of ['carl', 'Bea', 'dora']) await rig.user({ name });
    const names = async (page: { limit: number; after?: string }): Promise<string[]> =>
      (await rig.store.listUsers(page)).map(({ name }) => name);
    expect(await names({ limit: 10 })).toEqual(['admin', 'Bea', 'carl', 'dora']);
    expect(await names({ limit: 2 })).toEqual(['admin', 'Bea']);
    expect(await names({ limit: 2, after: 'Bea' })).toEqual(['carl', 'dora']);
  });

  rule(
    '[X2] a token is valid until it expires, is revoked, or its user is disabled',
    async (rig) => {
      const { store } = rig;
      const ann = await rig.user();
      const made = rig.newToken(ann.id, { scopes: ['read'], channel: 'cli', through: ['web'] });
      const token = await store.createToken(made);
      const { digest, expiresInMs: _, notAfter: __, ...shown } = made;
      expect(token).toEqual({
        ...shown,
        createdAt: rig.now,
        expiresAt: rig.now + HOUR,
        lastUsedAt: null,
        revokedAt: null,
      });
      expect(await store.findToken(digest)).toEqual({ token, user: ann });
      expect(await store.findToken(token.id)).toBeNull();
      rig.now += HOUR - 1;
      expect(await store.findToken(digest)).toMatchObject({ token: { id: token.id } });
      rig.now += 1;
      expect(await store.findToken(digest)).toBe('expired');
      await store.updateUser(ann.id, { disabled: true });
      expect(await store.findToken(digest)).toBe('disabled');
      await store.revokeToken(token.id);
      expect(await store.findToken(digest)).toBe('revoked');
    },
  );

  rule('[X2] a token expires with the token that created it, if that expires', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const end = async (expiresInMs: number | null, notAfter: number | null) =>
      (await store.createToken(rig.newToken(ann.id, { expiresInMs, notAfter }))).expiresAt;
    expect(await end(null, null)).toBeNull();
    expect(await end(null, rig.now + MINUTE)).toBe(rig.now + MINUTE);
    expect(await end(HOUR, rig.now + MINUTE)).toBe(rig.now + MINUTE);
    expect(await end(MINUTE, rig.now + HOUR)).toBe(rig.now + MINUTE);
    await expect(store.createToken(rig.newToken(newId()))).rejects.toEqual(refused('unknown_user'));
  });

  rule('[X2] revoking again changes nothing', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const { id } = await store.createToken(rig.newToken(ann.id));
    const revoked = await store.revokeToken(id);
    expect(revoked.revokedAt).toBe(rig.now);
    rig.now += MINUTE;
    expect(await store.revokeToken(id)).toEqual(revoked);
    expect(await store.getToken(id)).toEqual(revoked);
    await expect(store.revokeToken(newId())).rejects.toEqual(refused('not_found'));
    expect(await store.getToken(newId())).toBeNull();
  });

  rule('[H1] tokens are listed newest first, for one user or for all', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const ids: string[] = [];
    for (const user of [ann, bob, ann])
      ids.unshift((await store.createToken(rig.newToken(user.id))).id);
    const listed = async (page: Parameters<typeof store.listTokens>[0]): Promise<string[]> =>
      (await store.listTokens(page)).map(({ id }) => id);
    expect(await listed({ limit: 10 })).toEqual(ids);
    expect(await listed({ limit: 10, userId: ann.id })).toEqual([ids[0], ids[2]]);
    expect(await listed({ limit: 1, before: ids[0] as string })).toEqual([ids[1]]);
    await store.touchTokens([ids[0] as string, newId()]);
    const [used, unused] = await store.listTokens({ limit: 2 });
    expect([used?.lastUsedAt, unused?.lastUsedAt]).toEqual([rig.now, null]);
    await store.touchTokens([]);
  });
}
