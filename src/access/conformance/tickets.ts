import { expect } from 'vitest';
import { newId } from '../../contract/values/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { type AccessRule, type AccessStoreRig, MINUTE } from './rig.ts';

const PATH = '/ws/events';

async function ticketOf(rig: AccessStoreRig, signInId: string): Promise<string> {
  const digest = newId();
  const { expiresAt } = await rig.store.createTicket({
    digest,
    signInId,
    path: PATH,
    expiresInMs: MINUTE,
  });
  expect(expiresAt).toBe(rig.now + MINUTE);
  return digest;
}

export function ticketRules(rule: AccessRule): void {
  rule('[X4] a ticket is used once, also by many at once', async (rig) => {
    const { store } = rig;
    const { signIn } = await rig.signedIn('admin');
    const digest = await ticketOf(rig, signIn.id);
    const taken = await Promise.all(Array.from({ length: 5 }, () => store.takeTicket(digest)));
    expect(taken.filter((one) => one !== null)).toEqual([{ signInId: signIn.id, path: PATH }]);
    expect(await store.takeTicket(digest)).toBeNull();
    expect(await store.takeTicket(newId())).toBeNull();
  });

  rule('[X4] a ticket is valid until it expires, and independent of others', async (rig) => {
    const { store } = rig;
    const { signIn } = await rig.signedIn('admin');
    const [early, late] = [await ticketOf(rig, signIn.id), await ticketOf(rig, signIn.id)];
    rig.now += MINUTE - 1;
    expect(await store.takeTicket(early)).not.toBeNull();
    rig.now += 1;
    expect(await store.takeTicket(late)).toBeNull();
    const next = await ticketOf(rig, signIn.id);
    expect(await store.takeTicket(next)).not.toBeNull();
  });

  rule('[X4] tickets end with their sign-in, and none is created without one', async (rig) => {
    const { store } = rig;
    const ann = await rig.user();
    const { signIn } = await rig.signedIn(ann.id);
    const other = await rig.signedIn(ann.id);
    const [gone, left] = [await ticketOf(rig, signIn.id), await ticketOf(rig, other.signIn.id)];
    await store.endSignIn(signIn.id);
    expect(await store.takeTicket(gone)).toBeNull();
    expect(await store.takeTicket(left)).toEqual({ signInId: other.signIn.id, path: PATH });
    await expect(ticketOf(rig, signIn.id)).rejects.toEqual(refused('unauthorized'));
  });

  rule('[X4] tickets change no access, so they send no hint', async (rig) => {
    const { signIn } = await rig.signedIn('admin');
    expect(
      await rig.hints(async () => {
        await rig.store.takeTicket(await ticketOf(rig, signIn.id));
      }),
    ).toEqual([]);
  });
}
