import { describe, expect, test, vi } from 'vitest';
import { admission } from '../../test/support/admission.ts';
import {
  ADMIN_TOKEN,
  authenticatorOver,
  DATABASES,
  FROM,
  peopleOf,
} from '../../test/support/authenticator-rig.ts';
import { faultyStore } from '../../test/support/faulty-store.ts';
import { until } from '../../test/support/until.ts';
import { BatonError } from '../contract/errors.ts';
import { newId } from '../contract/values/ids.ts';
import { digestOf, newSecret, newToken } from './secret.ts';
import { StoreAuthenticator } from './store-authenticator.ts';

const HOUR_MS = 60 * 60_000;

describe.each(DATABASES)('the authenticator over %s', (_name, database) => {
  const rig = async () => {
    const node = await database();
    const { store, faults } = faultyStore(await node());
    return { node, store, faults, people: peopleOf(store) };
  };

  test('[X2] a token is its user, with their role and its scopes and channel', async () => {
    const { store, people } = await rig();
    const authenticator = authenticatorOver(store);
    const user = await people.user('hanako', 'operator');
    const { id, token } = await people.token(user.id, { channel: 'cli', scopes: ['read'] });
    expect(await authenticator.byToken(token)).toEqual({
      userId: user.id,
      role: 'operator',
      channel: 'cli',
      scopes: ['read'],
      credential: `token:${id}`,
    });
    await authenticator.close();
    expect((await store.getToken(id))?.lastUsedAt).not.toBeNull();
  });

  test('[P1] a credential has the channels it was created through; an admin’s has none', async () => {
    const { store, people } = await rig();
    const authenticator = authenticatorOver(store);
    const user = await people.user('hanako');
    const made = await people.token(user.id, { channel: 'cli', through: ['api'] });
    expect(await authenticator.byToken(made.token)).toMatchObject({
      channel: 'cli',
      through: ['api'],
    });
    const signed = await authenticator.signIn({ token: made.token }, FROM);
    expect(signed?.by).toMatchObject({ channel: 'web', through: ['cli', 'api'] });
    expect((await authenticator.byCookie(signed!.secret))?.by).toMatchObject({
      through: ['cli', 'api'],
    });
    const link = await authenticator.signIn({ code: await people.code(user.id) }, FROM);
    expect(link?.by.through).toBeUndefined();
    const admin = await people.user('keiko', 'admin');
    const theirs = await people.token(admin.id, { scopes: ['read', 'run', 'admin'] });
    expect((await authenticator.signIn({ token: theirs.token }, FROM))?.by.through).toBeUndefined();
  });

  test('[X7] the name of a credential leads to the same principal as its secret', async () => {
    const { store, people } = await rig();
    const authenticator = authenticatorOver(store);
    for (const role of ['operator', 'admin'] as const) {
      const user = await people.user(`hanako-${role}`, role);
      const more = { channel: 'cli', through: ['api'], scopes: ['read'] } as const;
      const { id, token } = await people.token(user.id, more);
      const signed = await authenticator.signIn({ token }, FROM);
      const linked = await authenticator.signIn({ code: await people.code(user.id) }, FROM);
      expect(await authenticator.byName(`token:${id}`)).toEqual(await authenticator.byToken(token));
      for (const each of [signed, linked]) {
        const { by } = (await authenticator.byCookie(each!.secret))!;
        expect(await authenticator.byName(by.credential!)).toEqual(by);
      }
      await store.updateUser(user.id, { disabled: true });
      expect(await authenticator.byName(`token:${id}`)).toBeNull();
    }
    expect(await authenticator.byName('admin')).toEqual(await authenticator.byToken(ADMIN_TOKEN));
    for (const name of ['', 'token:x', 'code']) expect(await authenticator.byName(name)).toBeNull();
  });

  test('[H9] a guessed code costs a read, and no transaction', async () => {
    const { store, faults, people } = await rig();
    const authenticator = authenticatorOver(store);
    const code = await people.code((await people.user('hanako')).id);
    expect(await authenticator.signIn({ code: newSecret() }, FROM)).toBeNull();
    expect(faults.calls.get('signIn')).toBeUndefined();
    expect(await authenticator.signIn({ code }, FROM)).not.toBeNull();
    expect(faults.calls.get('signIn')).toBe(1);
  });

  test('[X2] unknown, expired and revoked tokens, and those of disabled users, are refused', async () => {
    const { store, people } = await rig();
    const authenticator = authenticatorOver(store);
    const user = await people.user('hanako');
    const revoked = await people.token(user.id);
    await store.revokeToken(revoked.id);
    const expired = await people.token(user.id, { expiresInMs: 0 });
    const out = await people.user('taro');
    const locked = await people.token(out.id);
    await store.updateUser(out.id, { disabled: true });
    for (const token of [revoked.token, expired.token, locked.token, newToken(), 'baton_x', '']) {
      expect([token, await authenticator.byToken(token)]).toEqual([token, null]);
    }
  });

  test('[X2] malformed tokens are not looked up, and misses are not cached', async () => {
    const { store, faults } = await rig();
    const authenticator = authenticatorOver(store);
    await authenticator.byToken('x'.repeat(500));
    await authenticator.byCookie('short');
    expect(faults.calls.get('findToken')).toBeUndefined();
    expect(faults.calls.get('findSignIn')).toBeUndefined();
    const stranger = newToken();
    await authenticator.byToken(stranger);
    await authenticator.byToken(stranger);
    expect(faults.calls.get('findToken')).toBe(2);
  });

  test('[X2] a token is looked up once a second, also for many requests at once', async () => {
    const { store, faults, people } = await rig();
    let now = 0;
    const authenticator = authenticatorOver(store, { now: () => now });
    const { token } = await people.token((await people.user('hanako')).id);
    await Promise.all(Array.from({ length: 50 }, () => authenticator.byToken(token)));
    now = 999;
    await authenticator.byToken(token);
    expect(faults.calls.get('findToken')).toBe(1);
    now = 1000;
    await authenticator.byToken(token);
    expect(faults.calls.get('findToken')).toBe(2);
  });

  test('[X2] a revoked token is refused on every node as soon as the hint arrives', async () => {
    const { node, store, people } = await rig();
    // The second node's cache never expires.
    const [one, two] = [
      authenticatorOver(store),
      authenticatorOver(await node(), { now: () => 0 }),
    ];
    const { id, token } = await people.token((await people.user('hanako')).id);
    expect(await two.byToken(token)).not.toBeNull();
    let changes = 0;
    two.onChange(() => changes++);
    expect(await one.byToken(token)).not.toBeNull();
    await store.revokeToken(id);
    await until(() => changes > 0);
    expect(await two.byToken(token)).toBeNull();
    expect(await one.byToken(token)).toBeNull();
  });

  test('[X2] many lanes that grow at once do not clear the cache', async () => {
    const { node, store, faults, people } = await rig();
    const authenticator = authenticatorOver(store, { now: () => 0 });
    const { token } = await people.token((await people.user('hanako')).id);
    await authenticator.byToken(token);
    let changes = 0;
    authenticator.onChange(() => changes++);
    let grown = false;
    store.onHint(({ all = false, lanes }) => {
      grown ||= all || lanes.length > 100;
    });
    // More names than one hint to another node can hold.
    const many = Array.from({ length: 300 }, () => admission(newId(), { lane: newId() }));
    await (await node()).enqueue(many);
    await until(() => grown);
    await authenticator.byToken(token);
    expect([changes, faults.calls.get('findToken')]).toEqual([0, 1]);
  });

  test('[X2] if the hint is lost, a revoked token works for at most a second', async () => {
    const { store, people } = await rig();
    let now = 0;
    const deaf = new Proxy(store, {
      get: (target, name) => (name === 'onHint' ? () => () => {} : Reflect.get(target, name)),
    });
    const authenticator = authenticatorOver(deaf, { now: () => now });
    const { id, token } = await people.token((await people.user('hanako')).id);
    await authenticator.byToken(token);
    await store.revokeToken(id);
    now = 1000;
    expect(await authenticator.byToken(token)).toBeNull();
  });

  test('[X2] a lookup that started before a change is not cached after it', async () => {
    const { store, people } = await rig();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const late: typeof store.findToken = async (digest) => {
      const answer = await store.findToken(digest);
      begun.resolve();
      await goOn.promise;
      return answer;
    };
    const slow = new Proxy(store, {
      get: (target, name) => (name === 'findToken' ? late : Reflect.get(target, name)),
    });
    const authenticator = authenticatorOver(slow, { now: () => 0 });
    const { id, token } = await people.token((await people.user('hanako')).id);
    let changes = 0;
    authenticator.onChange(() => changes++);
    const before = authenticator.byToken(token);
    await begun.promise;
    await store.revokeToken(id);
    await until(() => changes > 0);
    goOn.resolve();
    expect(await before).not.toBeNull();
    expect(await authenticator.byToken(token)).toBeNull();
  });

  test('[O5] while the database is unavailable, that is the error, and nobody is refused as a stranger', async () => {
    const { store, faults } = await rig();
    const authenticator = authenticatorOver(store);
    faults.away = new BatonError('database_unreachable');
    const away = { code: 'database_unreachable' };
    await expect(authenticator.byToken(newToken())).rejects.toMatchObject(away);
    await expect(authenticator.byCookie(newSecret())).rejects.toMatchObject(away);
    await expect(authenticator.signIn({ code: newSecret() }, FROM)).rejects.toMatchObject(away);
    expect(await authenticator.byToken(ADMIN_TOKEN)).toMatchObject({ userId: 'admin' });
    faults.away = null;
    expect(await authenticator.byToken(newToken())).toBeNull();
  });

  test('[X1] a code signs in once, even if sent to two nodes at once', async () => {
    const { node, store } = await rig();
    const [one, two] = [authenticatorOver(store), authenticatorOver(await node())];
    const code = await one.startCode();
    const tries = await Promise.all(
      [one, two, one, two].map((authenticator) => authenticator.signIn({ code }, FROM)),
    );
    expect(tries.filter((made) => made !== null)).toHaveLength(1);
    expect(await one.signIn({ code }, FROM)).toBeNull();
    const lines = await store.listAudit({ action: 'auth.sign_in', limit: 10 });
    expect(lines).toMatchObject([{ userId: 'admin', credential: 'code', address: FROM.address }]);
  });

  test('[X1] the code of a start invalidates those of earlier starts, and lasts an hour', async () => {
    const { store } = await rig();
    const authenticator = authenticatorOver(store);
    const earlier = await authenticator.startCode();
    const later = await authenticator.startCode();
    expect(await authenticator.signIn({ code: earlier }, FROM)).toBeNull();
    expect(await authenticator.signIn({ code: later }, FROM)).not.toBeNull();
    const createCode = vi.spyOn(store, 'createCode');
    await authenticator.startCode();
    expect(createCode.mock.lastCall?.[0].expiresInMs).toBe(HOUR_MS);
  });

  test('[X1] the admin token and other tokens sign in, with the rights they have', async () => {
    const { store, people } = await rig();
    const authenticator = authenticatorOver(store);
    const admin = await authenticator.signIn({ token: ADMIN_TOKEN }, FROM);
    expect(admin?.by).toMatchObject({ userId: 'admin', role: 'admin', channel: 'web', ...FROM });
    const user = await people.user('hanako');
    const { id, token } = await people.token(user.id, { scopes: ['read'] });
    const made = await authenticator.signIn({ token }, FROM);
    const caller = await authenticator.byCookie(made?.secret ?? '');
    expect(caller).toMatchObject({ by: { userId: user.id, scopes: ['read'] }, due: false });
    const [line] = await store.listAudit({ userId: user.id, limit: 1 });
    expect(line).toMatchObject({ action: 'auth.sign_in', credential: `token:${id}` });
    // It ends with the token.
    await store.revokeToken(id);
    await until(async () => (await authenticator.byCookie(made?.secret ?? '')) === null);
  });

  test('[X1] the secret of a cookie is replaced once after an hour, and the old one expires later', async () => {
    const { node, store } = await rig();
    let ahead = 0;
    const clock = (): number => Date.now() + ahead;
    const [one, two] = [
      authenticatorOver(store, { clock }),
      authenticatorOver(await node(), { clock }),
    ];
    const made = await one.signIn({ token: ADMIN_TOKEN }, FROM);
    const { secret } = made ?? { secret: '' };
    expect(await one.byCookie(secret)).toMatchObject({ due: false });
    ahead = HOUR_MS + 1000;
    expect(await one.byCookie(secret)).toMatchObject({ due: true });
    expect(await two.byCookie(secret)).toMatchObject({ due: true });
    const renewed = await Promise.all([one.renew(secret), two.renew(secret), one.renew(secret)]);
    const [next] = renewed.filter((each) => each !== null);
    expect(renewed.filter((each) => each !== null)).toHaveLength(1);
    expect(next?.secret).not.toBe(secret);
    const by = made?.by.credential;
    ahead = 0;
    expect(await one.byCookie(next?.secret ?? '')).toMatchObject({ by: { credential: by } });
    // Requests under way.
    expect(await one.byCookie(secret)).toMatchObject({ by: { credential: by }, due: false });
  });

  test('[X4] a page key belongs to one sign-in, and is stored as a digest', async () => {
    const { store } = await rig();
    const authenticator = authenticatorOver(store);
    const [one, two] = [
      await authenticator.signIn({ token: ADMIN_TOKEN }, FROM),
      await authenticator.signIn({ token: ADMIN_TOKEN }, FROM),
    ];
    if (one === null || two === null) throw new Error('not signed in');
    const hasKey = async (key?: string | null) =>
      (await authenticator.byCookie(one.secret, key))?.hasKey ?? null;
    expect(await hasKey(one.pageKey)).toBe(true);
    for (const key of [two.pageKey, one.secret, digestOf(one.pageKey), '', null, undefined]) {
      expect(await hasKey(key)).toBe(false);
    }
    // A sign-in of a version without page keys.
    const id = newId();
    const old = { id, digest: digestOf(one.pageKey), idleMs: HOUR_MS, lifeMs: HOUR_MS };
    await store.signIn({ user: 'admin' }, { ...old, pageKeyDigest: null as never });
    expect(await authenticator.byCookie(one.pageKey, one.pageKey)).toMatchObject({ hasKey: false });
  });

  test('[X4] a ticket is for its browser and path, on every node, once, and for half a minute', async () => {
    const { node, store, people } = await rig();
    const [one, two] = [authenticatorOver(store), authenticatorOver(await node())];
    const by = (await one.signIn({ token: ADMIN_TOKEN }, FROM))?.by;
    const other = (await one.signIn({ token: ADMIN_TOKEN }, FROM))?.by;
    if (by === undefined || other === undefined) throw new Error('not signed in');
    const path = '/ws/events';
    const { ticket, expiresAt } = await one.createTicket(by, path);
    const leftMs = Date.parse(expiresAt) - Date.now();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(31_000);
    const taken = await Promise.all(
      [one, two, one, two].map((authenticator) => authenticator.takeTicket(by, ticket, path)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    for (const [who, where] of [
      [other, path],
      [by, '/ws/sessions/x'],
    ] as const) {
      const wrong = await two.createTicket(by, path);
      expect(await one.takeTicket(who, wrong.ticket, where)).toBe(false);
      expect(await one.takeTicket(by, wrong.ticket, path)).toBe(false);
    }
    for (const none of ['', 'x', newSecret()]) {
      expect(await one.takeTicket(by, none, path)).toBe(false);
    }
    const { token } = await people.token('admin');
    for (const bearer of [ADMIN_TOKEN, token]) {
      const program = (await one.byToken(bearer))!;
      await expect(one.createTicket(program, path)).rejects.toMatchObject({ code: 'forbidden' });
    }
    await one.signOut(by);
    await expect(one.createTicket(by, path)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('[X1] signing out ends a sign-in on every node, and is in the audit log', async () => {
    const { node, store } = await rig();
    const [one, two] = [
      authenticatorOver(store),
      authenticatorOver(await node(), { now: () => 0 }),
    ];
    const made = await one.signIn({ token: ADMIN_TOKEN }, FROM);
    if (made === null) throw new Error('not signed in');
    expect(await two.byCookie(made.secret)).not.toBeNull();
    await one.signOut(made.by);
    expect(await one.byCookie(made.secret)).toBeNull();
    await until(async () => (await two.byCookie(made.secret)) === null);
    expect(await one.recheck(made.by)).toBeNull();
    const lines = await store.listAudit({ action: 'auth.sign_out', limit: 10 });
    expect(lines).toMatchObject([{ userId: 'admin', credential: made.by.credential }]);
  });

  test('[X2] a principal is rechecked by credential name, not by secret', async () => {
    const { store, people } = await rig();
    const authenticator = authenticatorOver(store);
    const user = await people.user('hanako', 'operator');
    const { token, id } = await people.token(user.id);
    const by = await authenticator.byToken(token);
    if (by === null) throw new Error('not authenticated');
    expect(await authenticator.recheck(by)).toEqual({ by, name: 'hanako' });
    await store.updateUser(user.id, { role: 'viewer' });
    expect(await authenticator.recheck(by)).toEqual({
      by: { ...by, role: 'viewer' },
      name: 'hanako',
    });
    await store.revokeToken(id);
    expect(await authenticator.recheck(by)).toBeNull();
  });
});

test('[O5] before the database is open, only the admin token is known', async () => {
  const authenticator = new StoreAuthenticator({ adminToken: ADMIN_TOKEN });
  expect(await authenticator.byToken(ADMIN_TOKEN)).toMatchObject({
    userId: 'admin',
    credential: 'admin',
  });
  expect(await authenticator.byToken('guess')).toBeNull();
  await expect(authenticator.byToken(newToken())).rejects.toMatchObject({
    code: 'database_unreachable',
  });
});
