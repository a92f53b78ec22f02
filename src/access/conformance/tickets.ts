import { expect } from 'vitest';
import { newId } from '../../contract/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { type AccessBench, type AccessRule, MINUTE } from './rig.ts';

const PATH = '/ws/events';

async function ticketOf(bench: AccessBench, signInId: string): Promise<string> {
  const digest = newId();
  const { expiresAt } = await bench.store.createTicket({
    digest,
    signInId,
    path: PATH,
    expiresInMs: MINUTE,
  });
  expect(expiresAt).toBe(bench.now + MINUTE);
  return digest;
}

export function ticketRules(rule: AccessRule): void {
  rule('[X4] a ticket is taken once, also by many at once', async (bench) => {
    const { store } = bench;
    const { signIn } = await bench.signedIn('admin');
    const digest = await ticketOf(bench, signIn.id);
    const taken = await Promise.all(Array.from({ length: 5 }, () => store.takeTicket(digest)));
    expect(taken.filter((one) => one !== null)).toEqual([{ signInId: signIn.id, path: PATH }]);
    expect(await store.takeTicket(digest)).toBeNull();
    expect(await store.takeTicket(newId())).toBeNull();
  });

  rule('[X4] a ticket is good until it expires, and one of several at a time', async (bench) => {
    const { store } = bench;
    const { signIn } = await bench.signedIn('admin');
    const [early, late] = [await ticketOf(bench, signIn.id), await ticketOf(bench, signIn.id)];
    bench.now += MINUTE - 1;
    expect(await store.takeTicket(early)).not.toBeNull();
    bench.now += 1;
    expect(await store.takeTicket(late)).toBeNull();
    const next = await ticketOf(bench, signIn.id);
    expect(await store.takeTicket(next)).not.toBeNull();
  });

  rule('[X4] tickets end with the sign-in they are of, and none is made without', async (bench) => {
    const { store } = bench;
    const ann = await bench.user();
    const { signIn } = await bench.signedIn(ann.id);
    const other = await bench.signedIn(ann.id);
    const [gone, left] = [await ticketOf(bench, signIn.id), await ticketOf(bench, other.signIn.id)];
    await store.endSignIn(signIn.id);
    expect(await store.takeTicket(gone)).toBeNull();
    expect(await store.takeTicket(left)).toEqual({ signInId: other.signIn.id, path: PATH });
    await expect(ticketOf(bench, signIn.id)).rejects.toEqual(refused('unauthorized'));
  });

  rule('[X4] tickets change what nobody may do, so nobody is told', async (bench) => {
    const { signIn } = await bench.signedIn('admin');
    expect(
      await bench.hints(async () => {
        await bench.store.takeTicket(await ticketOf(bench, signIn.id));
      }),
    ).toEqual([]);
  });
}
