import { expect } from 'vitest';
import type { RunState } from '../../contract/run.ts';
import { newId } from '../../contract/values/ids.ts';
import { admission, refused } from '../../queue/conformance/rig.ts';
import type { SessionFilter, StoredAttachment } from '../../sessions/session-store.ts';
import type { AccessRule, AccessStoreRig } from './rig.ts';

const listed = async (
  { store }: AccessStoreRig,
  visibleTo: string,
  filter: Partial<SessionFilter> = {},
): Promise<string[]> => {
  const sessions = await store.listSessions({ visibleTo, archived: false, limit: 100, ...filter });
  return sessions.map(({ session }) => session.id);
};

const shareOf = async ({ store }: AccessStoreRig, sessionId: string, userId: string) =>
  (await store.getSessionFor(sessionId, userId))?.share ?? null;

const send = async ({ store }: AccessStoreRig, sessionId: string): Promise<string> => {
  const { receipt } = await store.sendMessage({
    sessionId,
    admission: admission({ payload: { message: 'hello' } }),
    original: null,
    queueMax: 100,
  });
  return receipt.id;
};

export function shareRules(rule: AccessRule): void {
  rule('[X3] shares are replaced as a whole; one for the owner is ignored', async (rig) => {
    const { store } = rig;
    const [ann, bob, eve] = [
      await rig.user({ name: 'ann' }),
      await rig.user({ name: 'Bob' }),
      await rig.user({ name: 'eve' }),
    ];
    const id = await rig.session(ann.id);
    expect(await store.listShares(id)).toEqual([]);
    const shares = await store.putShares(id, [
      { userId: eve.id, level: 'view' },
      { userId: ann.id, level: 'view' },
      { userId: bob.id, level: 'operate' },
    ]);
    expect(shares).toEqual([
      { userId: bob.id, userName: 'Bob', level: 'operate' },
      { userId: eve.id, userName: 'eve', level: 'view' },
    ]);
    expect(await store.listShares(id)).toEqual(shares);
    expect(await shareOf(rig, id, bob.id)).toBe('operate');
    expect(await shareOf(rig, id, ann.id)).toBeNull();
    await store.putShares(id, [{ userId: eve.id, level: 'operate' }]);
    expect(await shareOf(rig, id, bob.id)).toBeNull();
    expect(await shareOf(rig, id, eve.id)).toBe('operate');
  });

  rule(
    '[X3] a share with an unknown user or of a missing session is refused and changes nothing',
    async (rig) => {
      const { store } = rig;
      const [ann, bob] = [await rig.user(), await rig.user()];
      const id = await rig.session(ann.id);
      const shares = await store.putShares(id, [{ userId: bob.id, level: 'view' }]);
      const wrong = [
        { userId: ann.id, level: 'view' as const },
        { userId: newId(), level: 'view' as const },
      ];
      await expect(store.putShares(id, wrong)).rejects.toEqual(refused('unknown_user'));
      expect(await store.listShares(id)).toEqual(shares);
      await expect(store.putShares(newId(), [])).rejects.toEqual(refused('not_found'));
    },
  );

  rule('[X3] concurrent puts of shares replace one another', async (rig) => {
    const { store } = rig;
    const [ann, bob, eve] = [await rig.user(), await rig.user(), await rig.user()];
    const id = await rig.session(ann.id);
    for (let i = 0; i < 5; i++) {
      await Promise.all(
        [bob, eve].map(({ id: userId }) => store.putShares(id, [{ userId, level: 'view' }])),
      );
      expect(await store.listShares(id)).toHaveLength(1);
    }
  });

  rule(
    '[X3] a user sees their own sessions and shared ones, newest first, in pages',
    async (rig) => {
      const { store } = rig;
      const [ann, bob] = [await rig.user(), await rig.user()];
      const ids: string[] = [];
      for (let i = 0; i < 6; i++) {
        const id = await rig.session(i % 2 === 0 ? ann.id : bob.id);
        if (i % 2 === 1 && i > 1) await store.putShares(id, [{ userId: ann.id, level: 'view' }]);
        ids.unshift(id);
      }
      // Only Bob has access to the second session.
      const anns = ids.filter((_, i) => i !== 4);
      expect(await listed(rig, ann.id)).toEqual(anns);
      expect(await listed(rig, bob.id)).toEqual(ids.filter((_, i) => i % 2 === 0));
      expect(await listed(rig, newId())).toEqual([]);
      expect(await listed(rig, ann.id, { limit: 2 })).toEqual(anns.slice(0, 2));
      const after = { id: anns[1] as string, lastActiveAt: 0 };
      expect(await listed(rig, ann.id, { limit: 2, after })).toEqual(anns.slice(2, 4));
      expect(await listed(rig, ann.id, { ownerId: bob.id })).toEqual([ids[0], ids[2]]);
      expect(await listed(rig, ann.id, { status: 'ACTIVE' })).toEqual([]);
    },
  );

  rule(
    '[X3] a message is accepted from the owner and from users who may operate the session',
    async (rig) => {
      const { store } = rig;
      const [ann, bob, eve] = [await rig.user(), await rig.user(), await rig.user()];
      const id = await rig.session(ann.id);
      const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
      const sendAs = async (userId: string, files: readonly StoredAttachment[], run = {}) => {
        const { receipt } = await store.sendMessage({
          sessionId: id,
          userId,
          admission: admission({ payload: { message: 'hello' }, ...run }),
          original: null,
          attachments: files,
          queueMax: 100,
        });
        return receipt;
      };
      await store.putShares(id, [
        { userId: bob.id, level: 'operate' },
        { userId: eve.id, level: 'view' },
      ]);
      const file = { name: 'a', mediaType: 'text/plain', sealed: 'sealed' };
      // On PostgreSQL, a message with a file takes a different path.
      for (const files of [[], [file]]) {
        for (const user of [ann, bob]) expect((await sendAs(user.id, files)).known).toBe(false);
        // Even a known idempotency key reveals nothing to users who may not send.
        const { id: runId } = await sendAs(ann.id, files, keyed);
        expect(await sendAs(bob.id, files, keyed)).toMatchObject({ id: runId, known: true });
        for (const userId of [eve.id, newId()]) {
          await expect(sendAs(userId, files)).rejects.toEqual(refused('not_found'));
          await expect(sendAs(userId, files, keyed)).rejects.toEqual(refused('not_found'));
        }
      }
      await store.putShares(id, []);
      await expect(sendAs(bob.id, [])).rejects.toEqual(refused('not_found'));
      expect(await store.listQueued(id, 10)).toHaveLength(5);
    },
  );

  rule(
    '[X3] [Q12] only enabled users who may operate the session edit its messages',
    async (rig) => {
      const { store } = rig;
      const [ann, bob, eve] = [await rig.user(), await rig.user(), await rig.user()];
      const id = await rig.session(ann.id);
      const runId = await send(rig, id);
      await store.putShares(id, [
        { userId: bob.id, level: 'operate' },
        { userId: eve.id, level: 'view' },
      ]);
      const edit = (userId: string) => store.editRun(runId, { userId, payload: `"${userId}"` });
      for (const { id: userId } of [ann, bob]) {
        expect(await edit(userId)).toMatchObject({ payload: userId });
      }
      await expect(edit(eve.id)).rejects.toEqual(refused('not_found'));
      await store.updateUser(bob.id, { disabled: true });
      await expect(edit(bob.id)).rejects.toEqual(refused('not_found'));
      await store.updateUser(bob.id, { disabled: false });
      await store.putShares(id, []);
      await expect(edit(bob.id)).rejects.toEqual(refused('not_found'));
      expect((await store.get(runId))?.payload).toBe(bob.id);
    },
  );

  rule('[X3] runs are seen, listed and counted with their sessions', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const [own, shared, foreign] = [
      await rig.session(ann.id),
      await rig.session(bob.id),
      await rig.session(bob.id),
    ];
    await store.putShares(shared as string, [{ userId: ann.id, level: 'view' }]);
    const runs: string[] = [];
    for (const id of [own, foreign, shared, own, foreign]) runs.push(await send(rig, id));
    const seen = [runs[0], runs[2], runs[3]] as string[];
    const list = async (
      filter: { states?: RunState[]; limit?: number; after?: string; newestFirst?: boolean } = {},
    ): Promise<string[]> =>
      (await store.listVisibleRuns(ann.id, { limit: 10, ...filter })).map(({ id }) => id);
    expect(await list()).toEqual(seen);
    expect(await list({ limit: 1, after: seen[0] as string })).toEqual([seen[1]]);
    expect(await list({ newestFirst: true })).toEqual(seen.toReversed());
    expect(await list({ limit: 1, after: seen[2] as string, newestFirst: true })).toEqual([
      seen[1],
    ]);
    await store.change({ do: 'cancel', run: seen[0] as string, kind: 'stop' });
    expect(await list({ states: ['queued'] })).toEqual(seen.slice(1));
    expect(await list({ states: ['cancelled', 'failed'] })).toEqual(seen.slice(0, 1));
    expect(await store.countVisible(ann.id)).toMatchObject({ queued: 2, cancelled: 1, running: 0 });
    expect(await store.countVisible(newId())).toMatchObject({ queued: 0 });
    await store.putShares(shared as string, []);
    expect(await list()).toEqual([seen[0], seen[2]]);
    expect(await shareOf(rig, shared as string, ann.id)).toBeNull();
  });

  rule('[X3] shares are deleted with their session', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const id = await rig.session(ann.id);
    await store.putShares(id, [{ userId: bob.id, level: 'view' }]);
    await store.deleteSession(id);
    expect(await shareOf(rig, id, bob.id)).toBeNull();
    expect(await listed(rig, bob.id)).toEqual([]);
  });
}
