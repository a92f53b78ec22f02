import { expect } from 'vitest';
import { newId } from '../../contract/values/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import type { NewSignIn } from '../access-store.ts';
import { ACCESS } from '../access-store.ts';
import { type AccessRule, HOUR, MINUTE } from './rig.ts';

const GRACE = 10_000;
const newSignIn = (given: Partial<NewSignIn> = {}): NewSignIn => ({
  id: newId(),
  digest: newId(),
  pageKeyDigest: newId(),
  idleMs: HOUR,
  lifeMs: 24 * HOUR,
  ...given,
});

export function signInRules(rule: AccessRule): void {
  rule('[X1] a code signs in once', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const code = await rig.code(ann.id);
    expect([await store.hasCode(code), await store.hasCode(newId())]).toEqual([true, false]);
    const tries = Array.from({ length: 5 }, () => newSignIn());
    const results = await Promise.all(tries.map((one) => store.signIn({ code }, one)));
    const [signIn, ...others] = results.filter((one) => one !== null);
    expect(others).toEqual([]);
    expect(signIn).toEqual({
      id: expect.any(String),
      user: ann,
      scopes: null,
      through: [],
      expiresAt: rig.now + 24 * HOUR,
      rotatedAt: rig.now,
      previous: false,
      pageKeyDigest: expect.any(String),
    });
    const made = tries.find(({ id }) => id === signIn?.id);
    expect(signIn?.pageKeyDigest).toBe(made?.pageKeyDigest);
    expect(await store.signIn({ code }, newSignIn())).toBeNull();
    expect(await store.hasCode(code)).toBe(false);
  });

  rule('[X1] a code may invalidate its user’s earlier codes, and no others', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const earlier = await rig.code(ann.id);
    const others = await rig.code(bob.id);
    const digest = newId();
    await store.createCode({ digest, userId: ann.id, expiresInMs: HOUR, only: true });
    expect(await store.signIn({ code: earlier }, newSignIn())).toBeNull();
    expect(await store.signIn({ code: digest }, newSignIn())).toMatchObject({ user: ann });
    expect(await store.signIn({ code: others }, newSignIn())).toMatchObject({ user: bob });
  });

  rule(
    '[X1] an expired or unknown code, or one of a disabled user, signs nobody in',
    async (rig) => {
      const { store } = rig;
      const ann = await rig.user();
      const late = await rig.code(ann.id, MINUTE);
      rig.now += MINUTE;
      expect(await store.signIn({ code: late }, newSignIn())).toBeNull();
      expect(await store.signIn({ code: newId() }, newSignIn())).toBeNull();
      const [code, unused] = [await rig.code(ann.id), await rig.code(ann.id)];
      await store.updateUser(ann.id, { disabled: true });
      expect(await store.signIn({ code }, newSignIn())).toBeNull();
      expect(await store.signIn({ user: ann.id }, newSignIn())).toBeNull();
      await store.updateUser(ann.id, { disabled: false });
      for (const each of [code, unused])
        expect(await store.signIn({ code: each }, newSignIn())).toBeNull();
      expect(await store.signIn({ user: newId() }, newSignIn())).toBeNull();
      await expect(rig.code(newId())).rejects.toEqual(refused('unknown_user'));
    },
  );

  rule('[X2] a sign-in made with a token has its scopes and ends with it', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const from = { channel: 'cli', through: ['line'] } as const;
    const made = rig.newToken(ann.id, { ...from, scopes: ['read'], expiresInMs: 2 * HOUR });
    const token = await store.createToken(made);
    const one = newSignIn({ idleMs: 10 * HOUR });
    const signIn = await store.signIn({ token: made.digest }, one);
    expect(signIn).toMatchObject({
      scopes: ['read'],
      through: ['cli', 'line'],
      expiresAt: rig.now + 2 * HOUR,
    });
    expect(await store.findSignIn(one.digest, 10 * HOUR)).toEqual(signIn);
    expect(await store.findCredential(`cookie:${one.id}`)).toEqual({
      user: ann,
      scopes: ['read'],
      channel: 'web',
      through: ['cli', 'line'],
      tokenExpiresAt: token.expiresAt,
    });
    expect(await store.findCredential(`token:${token.id}`)).toEqual({
      user: ann,
      scopes: ['read'],
      channel: 'cli',
      through: ['line'],
      tokenExpiresAt: token.expiresAt,
    });
    await store.revokeToken(token.id);
    expect(await store.findSignIn(one.digest, HOUR)).toBeNull();
    for (const name of [`cookie:${one.id}`, `token:${token.id}`, 'admin', '', 'cookie:\0'])
      expect(await store.findCredential(name)).toBeNull();
    expect(await store.signIn({ token: made.digest }, newSignIn())).toBeNull();
    expect(await store.signIn({ token: newId() }, newSignIn())).toBeNull();
  });

  rule(
    '[X1] a sign-in ends after its idle time, which use extends, and after its lifetime',
    async (rig) => {
      const { store } = rig;
      const ann = await rig.user();
      const idleMs = 10 * MINUTE;
      const { digest, signIn } = await rig.signedIn(ann.id, { idleMs, lifeMs: HOUR });
      const unused = await rig.signedIn(ann.id, { idleMs, lifeMs: HOUR });
      for (let minute = 6; minute < 60; minute += 6) {
        rig.now += 6 * MINUTE;
        expect(await store.findSignIn(digest, idleMs)).toEqual(signIn);
      }
      expect(await store.findSignIn(unused.digest, idleMs)).toBeNull();
      rig.now += 6 * MINUTE;
      expect(await store.findSignIn(digest, idleMs)).toBeNull();
      expect(await store.findCredential(`cookie:${signIn.id}`)).toBeNull();
    },
  );

  rule('[X1] a second lookup within a minute extends nothing', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const idleMs = 2 * MINUTE;
    const { digest } = await rig.signedIn(ann.id, { idleMs });
    rig.now += MINUTE - 1;
    expect(await store.findSignIn(digest, idleMs)).not.toBeNull();
    rig.now += MINUTE + 1;
    expect(await store.findSignIn(digest, idleMs)).toBeNull();
  });

  rule(
    '[X1] a secret is replaced once, and the old one stays valid for its grace period',
    async (rig) => {
      const { store } = rig;
      const ann = await rig.user();
      const { digest, signIn } = await rig.signedIn(ann.id);
      rig.now += MINUTE;
      const [to, other] = [newId(), newId()];
      const rotate = (from: string, next: string) =>
        store.rotateSignIn(signIn.id, { from, to: next, graceMs: GRACE });
      const both = await Promise.all([rotate(digest, to), rotate(digest, other)]);
      expect(both.filter(Boolean)).toHaveLength(1);
      const fresh = both[0] ? to : other;
      const rotated = { ...signIn, rotatedAt: rig.now };
      expect(await store.findSignIn(fresh, HOUR)).toEqual(rotated);
      expect(await store.findSignIn(digest, HOUR)).toEqual({ ...rotated, previous: true });
      expect(await store.findSignIn(both[0] ? other : to, HOUR)).toBeNull();
      // A premature rotation must not cut short the grace period of the previous secret.
      expect(await rotate(fresh, newId())).toBe(false);
      rig.now += GRACE;
      expect(await store.findSignIn(digest, HOUR)).toBeNull();
      expect(await store.findSignIn(fresh, HOUR)).not.toBeNull();
      expect(await rotate(digest, newId())).toBe(false);
      rig.now += HOUR;
      expect(await rotate(fresh, newId())).toBe(false);
    },
  );

  rule('[X1] sign-ins end one by one, all of a user at once, and with the user', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const one = await rig.signedIn(ann.id);
    const two = await rig.signedIn(ann.id);
    const bobs = await rig.signedIn(bob.id);
    const valid = async (): Promise<boolean[]> => {
      const lookups = [one, two, bobs].map(({ digest }) => store.findSignIn(digest, HOUR));
      return (await Promise.all(lookups)).map((signIn) => signIn !== null);
    };
    await store.endSignIn(one.signIn.id);
    expect(await valid()).toEqual([false, true, true]);
    await store.endSignIns(ann.id);
    expect(await valid()).toEqual([false, false, true]);
    await store.updateUser(bob.id, { role: 'viewer' });
    expect(await store.findSignIn(bobs.digest, HOUR)).toMatchObject({ user: { role: 'viewer' } });
    await store.updateUser(bob.id, { disabled: true });
    expect(await valid()).toEqual([false, false, false]);
    await store.updateUser(bob.id, { disabled: false });
    expect(await valid()).toEqual([false, false, false]);
  });

  rule('[X2] changes of access send a hint to all nodes', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const token = await store.createToken(rig.newToken(ann.id));
    const { signIn } = await rig.signedIn(ann.id);
    const session = await rig.session('admin');
    const changes = [
      () => store.updateUser(ann.id, { role: 'viewer' }),
      () => store.revokeToken(token.id),
      () => store.endSignIn(signIn.id),
      () => store.endSignIns(ann.id),
      () => store.putShares(session, [{ userId: ann.id, level: 'view' }]),
    ];
    for (const change of changes)
      expect(await rig.hints(change)).toMatchObject([{ topics: [ACCESS] }]);
    expect(await rig.hints(() => rig.user())).toEqual([]);
  });
}
