import { expect } from 'vitest';
import { newId } from '../../contract/values/ids.ts';
import { admission, refused } from '../../queue/conformance/rig.ts';
import type { AuditFilter } from '../access-store.ts';
import { type AccessRule, type AccessStoreRig, entry, HOUR, MINUTE } from './rig.ts';

const lines = ({ store }: AccessStoreRig, filter: Partial<AuditFilter> = {}) =>
  store.listAudit({ limit: 100, ...filter });

const newSignIn = () => ({
  id: newId(),
  digest: newId(),
  pageKeyDigest: newId(),
  idleMs: HOUR,
  lifeMs: HOUR,
});

export function auditRules(rule: AccessRule): void {
  rule('[P6] a change and its audit line are written together', async (rig) => {
    const { store } = rig;
    const line = entry({ before: { a: [1, null, '日本'] }, after: 'x', address: '::1' });
    const id = newId();
    await store.audited(line).createUser({ id, name: 'ann', role: 'viewer' });
    expect(await store.getUser(id)).not.toBeNull();
    expect(await lines(rig)).toEqual([{ ...line, seq: expect.any(Number), at: rig.now }]);
    // Reading through the same store leaves no line.
    await store.audited(line).getUser(id);
    expect(await lines(rig)).toHaveLength(1);
  });

  rule('[P6] a call that is refused or changes nothing leaves no line', async (rig) => {
    const { store } = rig;
    const ann = await rig.user({ name: 'ann' });
    const audited = store.audited(entry());
    const again = audited.createUser({ id: newId(), name: 'ann', role: 'viewer' });
    await expect(again).rejects.toEqual(refused('user_exists'));
    await expect(audited.deleteSession(newId())).rejects.toEqual(refused('not_found'));
    const { id } = await store.createToken(rig.newToken(ann.id));
    await store.revokeToken(id);
    await audited.revokeToken(id);
    expect(await audited.signIn({ code: newId() }, newSignIn())).toBeNull();
    expect(await audited.rotateSignIn(newId(), { from: 'a', to: 'b', graceMs: 0 })).toBe(false);
    expect(await lines(rig)).toEqual([]);
  });

  rule('[P6] if the line cannot be written, neither is the change', async (rig) => {
    const { store } = rig;
    const id = newId();
    const action = null as unknown as 'user.create';
    const failing = store
      .audited(entry({ action }))
      .createUser({ id, name: 'ann', role: 'viewer' });
    await expect(failing).rejects.toEqual(refused('database_failed'));
    expect(await store.getUser(id)).toBeNull();
    expect(await lines(rig)).toEqual([]);
  });

  rule('[P6] a message is audited once, even if it is sent again with its key', async (rig) => {
    const { store } = rig;
    const sessionId = await rig.session('admin');
    const send = (key: string | null, onBusy: 'enqueue' | 'reject' = 'enqueue') =>
      store.audited(entry({ action: 'message.send' })).sendMessage({
        sessionId,
        admission: admission({
          payload: { message: 'hi' },
          idempotencyKey: key,
          bodyHash: 'h',
          onBusy,
        }),
        original: null,
        queueMax: 3,
      });
    await send('k');
    expect((await send('k')).receipt).toMatchObject({ known: true });
    expect(await lines(rig)).toHaveLength(1);
    await send(null);
    expect(await lines(rig)).toHaveLength(2);
    await expect(send(null, 'reject')).rejects.toEqual(refused('session_busy'));
    await send(null);
    await expect(send(null)).rejects.toEqual(refused('queue_full'));
    expect(await lines(rig)).toHaveLength(3);
  });

  rule('[P6] a session that is still busy is not audited as deleted', async (rig) => {
    const { store } = rig;
    await rig.node('node-1');
    const sessionId = await rig.session('admin');
    await store.sendMessage({
      sessionId,
      admission: admission({ type: 'agent', payload: { message: 'hi' } }),
      original: null,
      queueMax: 3,
    });
    const request = { nodeId: 'node-1', types: ['agent'], limit: 1 };
    const claimed = await store.claim({ ...request, caps: { types: {}, perOwner: null } });
    expect(claimed).toHaveLength(1);
    const audited = store.audited(entry({ action: 'session.delete' }));
    await expect(audited.deleteSession(sessionId)).rejects.toEqual(refused('session_busy'));
    expect(await lines(rig)).toEqual([]);
    await store.leave('node-1');
    await audited.deleteSession(sessionId);
    expect(await lines(rig)).toHaveLength(1);
  });

  rule('[P6] repeating a change that is already in effect is not audited', async (rig) => {
    const { store } = rig;
    await rig.node('node-1');
    const sessionId = await rig.session('admin');
    const { receipt } = await store.sendMessage({
      sessionId,
      admission: admission({ type: 'agent', payload: { message: 'hi' } }),
      original: null,
      queueMax: 3,
    });
    const request = { nodeId: 'node-1', types: ['agent'], limit: 1 };
    await store.claim({ ...request, caps: { types: {}, perOwner: null } });
    const audited = store.audited(entry());
    for (let i = 0; i < 2; i++) {
      await audited.change({ do: 'cancel', run: receipt.id, kind: 'stop' });
      expect(await lines(rig)).toHaveLength(1);
    }
    await store.leave('node-1');
    const quiet = await rig.session('admin');
    for (const [n, command] of (['hold', 'archive'] as const).entries()) {
      for (let i = 0; i < 2; i++) {
        await audited.changeSession(quiet, { do: command });
        expect([command, await lines(rig)]).toEqual([
          command,
          expect.objectContaining({ length: n + 2 }),
        ]);
      }
    }
    await audited.changeSession(quiet, { do: 'update', changes: { holdOnFailure: false } });
    expect(await lines(rig)).toHaveLength(4);
  });

  rule('[P6] the line of a sign-in names the user who signed in', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const code = await rig.code(ann.id);
    const line = entry({ userId: '', action: 'auth.sign_in', credential: 'code' });
    await store.audited(line).signIn({ code }, newSignIn());
    expect(await lines(rig)).toMatchObject([{ userId: ann.id, credential: 'code' }]);
  });

  rule('[P6] extending a sign-in leaves no line', async (rig) => {
    const { store } = rig;
    const { digest } = await rig.signedIn('admin');
    rig.now += 5 * MINUTE;
    expect(await store.audited(entry()).findSignIn(digest, HOUR)).not.toBeNull();
    expect(await lines(rig)).toEqual([]);
  });

  rule('[P6] the log is filtered, newest first, in pages', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const begun = rig.now;
    for (const [i, user] of [ann, bob, ann, bob].entries()) {
      const line = entry({
        userId: user.id,
        channel: i < 2 ? 'web' : 'cli',
        action: i === 3 ? 'user.update' : 'user.sign_out',
        target: { kind: 'user', id: `t${i}` },
      });
      await store.audited(line).endSignIns(user.id);
      rig.now += MINUTE;
    }
    const targets = async (filter: Partial<AuditFilter> = {}): Promise<string> =>
      (await lines(rig, filter)).map(({ target }) => target.id).join();
    expect(await targets()).toBe('t3,t2,t1,t0');
    expect(await targets({ userId: ann.id })).toBe('t2,t0');
    expect(await targets({ action: 'user.update' })).toBe('t3');
    expect(await targets({ channel: 'web' })).toBe('t1,t0');
    expect(await targets({ target: 't1' })).toBe('t1');
    expect(await targets({ from: begun + MINUTE, to: begun + 3 * MINUTE })).toBe('t2,t1');
    const [, second] = await lines(rig, { limit: 2 });
    expect(await targets({ limit: 1, before: second!.seq })).toBe('t1');
    expect(await targets({ target: '\0' })).toBe('');
  });
}
