import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CapturedLog } from '../../test/support/captured-log.ts';
import { createDatabase } from '../../test/support/postgres.ts';
import { authorised, type Person } from '../../test/support/principals.ts';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { testStore } from '../../test/support/sqlite.ts';
import { CreateToken, type Right, type Role } from '../contract/access.ts';
import { newId } from '../contract/values/ids.ts';
import { createMasker } from '../policy/masking/masking.ts';
import type { BatonStore } from '../storage/operations/baton-store.ts';
import { postgresStore } from '../storage/postgres/store.ts';
import { auditService } from './audit-service.ts';
import { digestOf } from './secret.ts';
import { stopService } from './stop-service.ts';
import { tokenService } from './token-service.ts';
import { userService } from './user-service.ts';

const ADMIN = authorised({
  userId: 'admin',
  role: 'admin',
  channel: 'api',
  credential: 'admin',
  address: '192.0.2.7',
  requestId: 'request-1',
});
const DAY_MS = 24 * 60 * 60 * 1000;

const databases: [string, () => Promise<BatonStore>][] = [
  ['SQLite', () => testStore({ path: join(temporaryDirectory(), 'baton.db') })],
  [
    'PostgreSQL',
    async () => {
      const { url, drop } = await createDatabase();
      onTestFinished(drop);
      return postgresStore({ url });
    },
  ],
];

async function rig(open: () => Promise<BatonStore>) {
  const store = await open();
  onTestFinished(() => store.close());
  const masker = createMasker();
  const log = new CapturedLog();
  const mask = (text: string) => masker.mask(text);
  const access = {
    users: userService({ store, publicUrl: 'https://baton.example' }),
    tokens: tokenService({ store, mask }),
    audit: auditService(store),
    stop: stopService({ store, mask, log }),
  };
  /** A user, signed in with a browser. */
  const person = async (name: string, role: Role = 'operator'): Promise<Person> => {
    const { id } = await access.users.create(ADMIN, { name, role });
    return authorised({ userId: id, role, channel: 'web', address: '192.0.2.8' });
  };
  const make = (by: Person, body: Partial<CreateToken> = {}) =>
    access.tokens.create(by, CreateToken.parse({ name: 'ci', ...body }));
  /** The principal of this token. */
  const bearer = async (secret: string): Promise<Person> => {
    const result = await store.findToken(digestOf(secret));
    if (result === null || typeof result === 'string') throw new Error(`the token is ${result}`);
    const { token, user } = result;
    return authorised({
      userId: user.id,
      role: user.role,
      channel: token.channel,
      through: token.through,
      scopes: token.scopes,
      credential: `token:${token.id}`,
    });
  };
  const actions = async () =>
    (await access.audit.list(ADMIN, {})).items.map(({ action }) => action).reverse();
  return { store, access, person, make, bearer, actions, log };
}

const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: { code: string }) => error.code,
  );

describe.each(databases)('on %s', (_name, open) => {
  test('[P6] [P4] stopping everything and resuming are audited and logged, the reason masked', async () => {
    const { access, person, log } = await rig(open);
    const hanako = await person('hanako', 'admin');
    const notStopped = { stopped: false, since: null, by: null, reason: null };
    expect(await access.stop.get(hanako)).toEqual(notStopped);
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const stop = await access.stop.put(ADMIN, { stopped: true, reason: `leaked ${secret}` });
    const reason = 'leaked ***GITHUB_TOKEN***';
    expect(stop).toEqual({ stopped: true, since: expect.any(String), by: 'admin', reason });
    expect(await access.stop.get(hanako)).toEqual(stop);
    // Another administrator stops it again, with their own reason.
    const again = await access.stop.put(hanako, { stopped: true });
    expect(again).toEqual({ ...stop, by: 'hanako', reason: null });
    expect(await access.stop.put(hanako, { stopped: false, reason: 'rotated' })).toEqual(
      notStopped,
    );
    // Nothing is stopped any more, so nothing is audited.
    expect(await access.stop.put(ADMIN, { stopped: false })).toEqual(notStopped);
    const lines = (await access.audit.list(ADMIN, { target: 'all' })).items.reverse();
    const target = { kind: 'system', id: 'all' };
    expect(lines).toMatchObject([
      { userId: 'admin', action: 'system.stop', target, after: { reason } },
      { userId: hanako.userId, action: 'system.stop', target, after: { reason: null } },
      { userId: hanako.userId, action: 'system.resume', target, after: { reason: 'rotated' } },
    ]);
    expect(log.of('StopRequested')).toMatchObject([
      { userId: 'admin', channel: 'api', reason },
      { userId: hanako.userId, channel: 'web', reason: null },
    ]);
    expect(log.of('ResumeRequested')[0]).toMatchObject({ reason: 'rotated' });
    expect(JSON.stringify([lines, log.lines])).not.toContain(secret);
  });

  test('[X2] users: added, found by name, changed; the built-in administrator stays', async () => {
    const { access } = await rig(open);
    const { id, ...user } = await access.users.create(ADMIN, { name: 'Hanako', role: 'operator' });
    expect(user).toMatchObject({ name: 'Hanako', role: 'operator', disabledAt: null });
    expect(await code(access.users.create(ADMIN, { name: 'hanako', role: 'viewer' }))).toBe(
      'user_exists',
    );
    await access.users.create(ADMIN, { name: 'jiro', role: 'viewer' });
    const first = await access.users.list(ADMIN, { limit: 2 });
    expect(first.items.map(({ name }) => name)).toEqual(['admin', 'Hanako']);
    const rest = await access.users.list(ADMIN, { cursor: first.nextCursor as string });
    expect([rest.items.map(({ name }) => name), rest.nextCursor]).toEqual([['jiro'], null]);

    const changed = await access.users.update(ADMIN, id, { role: 'viewer', disabled: true });
    expect(changed).toMatchObject({ role: 'viewer', disabledAt: expect.any(String) });
    expect(await access.users.get(ADMIN, id)).toEqual(changed);
    expect(await code(access.users.createSignInLink(ADMIN, id))).toBe('invalid_request');
    for (const body of [{ role: 'viewer' as const }, { disabled: true }, { name: 'root' }]) {
      expect(await code(access.users.update(ADMIN, 'admin', body))).toBe('last_admin');
    }
    const absent = newId();
    for (const call of [
      () => access.users.get(ADMIN, absent),
      () => access.users.update(ADMIN, absent, { role: 'viewer' }),
      () => access.users.createSignInLink(ADMIN, absent),
      () => access.users.signOut(ADMIN, absent),
      () => access.tokens.list(ADMIN, { userId: absent }),
    ]) {
      expect(await code(call())).toBe('not_found');
    }
  });

  test('[X2] an administrator cannot disable themselves by accident', async () => {
    const { access, person } = await rig(open);
    const by = await person('hanako', 'admin');
    for (const body of [{ disabled: true }, { role: 'operator' as const }]) {
      expect(await code(access.users.update(by, by.userId, body))).toBe('forbidden');
    }
    expect(await access.users.update(by, by.userId, { name: 'hana', role: 'admin' })).toMatchObject(
      {
        name: 'hana',
        role: 'admin',
      },
    );
    expect((await access.users.update(ADMIN, by.userId, { role: 'viewer' })).role).toBe('viewer');
  });

  test('[X2] a link signs in once, within a day', async () => {
    const { access, person, store } = await rig(open);
    const { userId } = await person('hanako');
    const link = await access.users.createSignInLink(ADMIN, userId);
    expect(link.url).toBe(`https://baton.example/sign-in?code=${link.code}`);
    const ends = Date.parse(link.expiresAt) - Date.now();
    expect(ends).toBeGreaterThan(DAY_MS - 60_000);
    expect(ends).toBeLessThanOrEqual(DAY_MS + 60_000);
    const signIn = () =>
      store.signIn(
        { code: digestOf(link.code) },
        {
          id: newId(),
          digest: digestOf(newId()),
          pageKeyDigest: digestOf(newId()),
          idleMs: 1000_000,
          lifeMs: 1000_000,
        },
      );
    expect((await signIn())?.user.id).toBe(userId);
    expect(await signIn()).toBeNull();
  });

  test('[X2] a token is shown once, stored as a digest, and valid until it is revoked', async () => {
    const { access, person, make, bearer, store } = await rig(open);
    const by = await person('hanako');
    const { token, ...made } = await make(by, { expiresInDays: 30 });
    expect(token).toMatch(/^baton_token_[\w-]{43}$/);
    expect(made).toMatchObject({ userId: by.userId, scopes: ['read', 'run'], channel: 'api' });
    expect(Date.parse(made.expiresAt as string) - Date.parse(made.createdAt)).toBe(30 * DAY_MS);
    const { items } = await access.tokens.list(by, {});
    expect(items).toEqual([made]);
    expect(await access.users.me(await bearer(token))).toMatchObject({
      user: { name: 'hanako' },
      rights: ['read', 'run'],
      channel: 'api',
    });
    const log = JSON.stringify(await access.audit.list(ADMIN, {}));
    expect(log).toContain(made.id);
    for (const secret of [token, digestOf(token)]) expect(log).not.toContain(secret);

    await access.tokens.revoke(by, made.id);
    await access.tokens.revoke(by, made.id);
    expect(await store.findToken(digestOf(token))).toBe('revoked');
    expect((await access.tokens.list(by, {})).items[0]?.revokedAt).not.toBeNull();
    expect((await make(by, { expiresInDays: null })).expiresAt).toBeNull();
    expect((await make(by, { name: `for ${token}` })).name).not.toContain(token);
  });

  test('[X2] nobody can grant more than they have', async () => {
    const { person, make, bearer } = await rig(open);
    const by = await person('hanako');
    const scopes = async (of: Person, asked?: Right[]) =>
      (await make(of, asked === undefined ? {} : { scopes: asked })).scopes;
    expect(await scopes(by, ['account', 'read', 'read'])).toEqual(['read', 'account']);
    expect(await code(make(by, { scopes: ['admin'] }))).toBe('forbidden');
    const viewer = await person('jiro', 'viewer');
    expect(await scopes(viewer)).toEqual(['read']);
    expect(await code(make(viewer, { scopes: ['read', 'run'] }))).toBe('forbidden');

    const narrow = await bearer((await make(ADMIN, { scopes: ['read', 'account'] })).token);
    expect(await scopes(narrow)).toEqual(['read']);
    expect(await code(make(narrow, { scopes: ['admin'] }))).toBe('forbidden');
    const bare = await bearer((await make(by, { scopes: ['account'] })).token);
    expect(await code(make(bare))).toBe('forbidden');
  });

  test('[P1] a token has every channel on the way to it, so a chain of tokens avoids no rules', async () => {
    const { make, bearer, person } = await rig(open);
    const browser = await person('hanako');
    const scopes: Right[] = ['read', 'account'];
    const first = await bearer((await make(browser, { scopes, channel: 'cli' })).token);
    expect(first).toMatchObject({ channel: 'cli', through: ['web'] });
    const second = await bearer((await make(first, { scopes, channel: 'api' })).token);
    expect(second).toMatchObject({ channel: 'api', through: ['cli', 'web'] });
    const back = await bearer((await make(second, { scopes, channel: 'cli' })).token);
    expect(back).toMatchObject({ channel: 'cli', through: ['api', 'web'] });
  });

  test('[X2] tokens and sign-ins created with a token do not outlive it', async () => {
    const { access, make, bearer, person, store } = await rig(open);
    const by = await person('hanako');
    const short = await make(by, { scopes: ['read', 'account'], expiresInDays: 1 });
    const made = await make(await bearer(short.token), { expiresInDays: null });
    expect(made.expiresAt).toBe(short.expiresAt);
    const id = newId();
    await store.signIn(
      { token: digestOf(short.token) },
      { id, digest: digestOf(id), pageKeyDigest: digestOf(id), idleMs: DAY_MS, lifeMs: DAY_MS },
    );
    const browser = authorised({ ...by, scopes: short.scopes, credential: `cookie:${id}` });
    expect((await make(browser, { expiresInDays: 3650 })).expiresAt).toBe(short.expiresAt);
    await access.tokens.revoke(by, short.id);
    expect(await code(make(browser))).toBe('unauthorized');
    // A new login revokes the previous login, not what was created with it.
    expect((await bearer(made.token)).userId).toBe(by.userId);
  });

  test('[X3] tokens of others are visible to administrators only', async () => {
    const { access, person, make, bearer } = await rig(open);
    const [by, other] = [await person('hanako'), await person('jiro', 'viewer')];
    const theirs = await make(other);
    expect(await code(access.tokens.revoke(by, theirs.id))).toBe('not_found');
    expect(await code(access.tokens.revoke(by, newId()))).toBe('not_found');
    expect(await code(access.tokens.list(by, { userId: other.userId }))).toBe('not_found');
    expect(await code(make(by, { userId: other.userId }))).toBe('not_found');
    expect(await code(make(by, { userId: newId() }))).toBe('not_found');

    // An administrator's token without the scope admin counts as an ordinary user.
    const plain = await bearer((await make(ADMIN, { scopes: ['read', 'account'] })).token);
    expect(await code(access.tokens.revoke(plain, theirs.id))).toBe('not_found');

    const given = await make(ADMIN, { userId: other.userId });
    expect([given.userId, given.scopes]).toEqual([other.userId, ['read']]);
    expect(await code(make(ADMIN, { userId: other.userId, scopes: ['run'] }))).toBe('forbidden');
    const { items } = await access.tokens.list(ADMIN, { userId: other.userId });
    expect(items.map(({ id }) => id)).toEqual([given.id, theirs.id]);
    await access.tokens.revoke(ADMIN, theirs.id);
    expect((await access.tokens.list(other, { limit: 1 })).nextCursor).toBe(given.id);
  });

  test('[P6] every change is audited: who, what, from where, before and after', async () => {
    const { access, make, actions } = await rig(open);
    const { id } = await access.users.create(ADMIN, { name: 'hanako', role: 'operator' });
    await access.users.update(ADMIN, id, { role: 'viewer', name: 'hanako', disabled: false });
    await access.users.update(ADMIN, id, { role: 'viewer' });
    await access.users.createSignInLink(ADMIN, id);
    const token = await make(ADMIN, { userId: id });
    await access.tokens.revoke(ADMIN, token.id);
    await access.tokens.revoke(ADMIN, token.id);
    expect(await code(access.users.create(ADMIN, { name: 'hanako', role: 'viewer' }))).toBe(
      'user_exists',
    );
    expect(await actions()).toEqual([
      'user.create',
      'user.update',
      'user.sign_in_link',
      'token.create',
      'token.revoke',
    ]);
    const { items } = await access.audit.list(ADMIN, { target: id, action: 'user.update' });
    expect(items).toEqual([
      {
        seq: expect.any(Number),
        at: expect.any(String),
        userId: 'admin',
        channel: 'api',
        credential: 'admin',
        address: '192.0.2.7',
        requestId: 'request-1',
        action: 'user.update',
        target: { kind: 'user', id },
        before: { role: 'operator' },
        after: { role: 'viewer' },
      },
    ]);
  });

  test('[P6] the log is filtered and paged', async () => {
    const { access, person, make } = await rig(open);
    const by = await person('hanako');
    for (const name of ['a', 'b', 'c']) await make(by, { name });
    const first = await access.audit.list(ADMIN, { userId: by.userId, limit: 2 });
    const rest = await access.audit.list(ADMIN, {
      userId: by.userId,
      cursor: first.nextCursor as string,
    });
    const all = [...first.items, ...rest.items];
    expect(all.map(({ after }) => (after as { name: string }).name)).toEqual(['c', 'b', 'a']);
    expect(rest.nextCursor).toBeNull();
    const count = async (query: object) => (await access.audit.list(ADMIN, query)).items.length;
    const future = new Date(Date.now() + DAY_MS).toISOString();
    expect(await count({ channel: 'web' })).toBe(3);
    expect(await count({ channel: 'cli' })).toBe(0);
    expect(await count({ from: future })).toBe(0);
    expect(await count({ to: future, action: 'user.create' })).toBe(1);
    expect(await code(access.audit.list(ADMIN, { cursor: 'x' }))).toBe('invalid_request');
  });
});
