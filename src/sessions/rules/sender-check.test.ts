import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptRig, END, init } from '../../../test/support/attempt-rig.ts';
import { authorised } from '../../../test/support/principals.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import { MessageRequest } from '../../contract/message.ts';
import { newId } from '../../contract/values/ids.ts';
import { mayUse } from './sender-check.ts';

/** A session of the administrator with an operator as its guest. */
async function withGuest() {
  const rig = await serviceRig();
  const { id } = await rig.session('shared', { holdOnFailure: false });
  const guest = authorised({ userId: newId(), role: 'operator', channel: 'api' });
  await rig.store.createUser({ id: guest.userId, name: 'taro', role: 'operator' });
  const share = (level: 'view' | 'operate' | null) =>
    rig.services.shares.put(ADMIN, id, { shares: level === null ? [] : [{ user: 'taro', level }] });
  await share('operate');
  return { rig, id, guest, share };
}

type Guest = Awaited<ReturnType<typeof withGuest>>;

test.each<[what: string, change: (guest: Guest) => Promise<unknown>]>([
  ['is disabled', ({ rig, guest }) => rig.store.updateUser(guest.userId, { disabled: true })],
  ['becomes a viewer', ({ rig, guest }) => rig.store.updateUser(guest.userId, { role: 'viewer' })],
  ['loses the share', ({ share }) => share(null)],
  ['keeps a share to view', ({ share }) => share('view')],
])('[X2] [X3] a queued message of someone who %s is not run', async (_what, change) => {
  const guest = await withGuest();
  const { rig, id } = guest;
  const file = join(temporaryDirectory(), 'ran');
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const body = MessageRequest.parse({ message: `touch ${file}` });
  const { runId } = await rig.services.messages.send(guest.guest, id, body, null);
  await change(guest);
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(runId)).toMatchObject({
    state: 'failed',
    error: {
      class: 'permission_denied',
      message: expect.stringContaining('no longer allowed to run'),
    },
  });
  expect(existsSync(file)).toBe(false);
  // A person who may can retry it, and the message is theirs then.
  const { id: again } = await rig.services.runs.retry(ADMIN, runId);
  expect(await rig.finished(again)).toMatchObject({ state: 'succeeded' });
  expect(existsSync(file)).toBe(true);
});

test('[X3] reading takes any share, running one to operate, and an admin needs none', async () => {
  const { rig, id, guest, share } = await withGuest();
  const may = (right: 'read' | 'run', who = guest.userId) => mayUse(rig.store, who, id, right);
  expect([await may('read'), await may('run')]).toEqual([true, true]);
  await share('view');
  expect([await may('read'), await may('run')]).toEqual([true, false]);
  await share(null);
  expect([await may('read'), await may('run')]).toEqual([false, false]);
  await rig.store.updateUser(guest.userId, { role: 'admin' });
  expect([await may('read'), await may('run')]).toEqual([true, true]);
  expect([await may('run', newId()), await may('run', ADMIN.userId)]).toEqual([false, true]);
});

test.each([
  [true, false],
  [false, false],
  [true, true],
  [false, true],
])(
  '[S10] [X3] a fork made in the first run of its original copies it later only while it is shared: %s (of a fork: %s)',
  async (isShared, ofFork) => {
    const rig = await attemptRig();
    const { id } = rig.session;
    await rig.store.createUser({ id: 'taro', name: 'taro', role: 'operator' });
    await rig.services.shares.put(ADMIN, id, { shares: [{ user: 'taro', level: 'operate' }] });
    const taro = authorised({ userId: 'taro', role: 'operator', channel: 'cli' });
    await rig.say('first');
    const started = Promise.withResolvers<void>();
    await rig.attempt(async function* () {
      yield init();
      started.resolve();
      await new Promise(() => {});
    });
    await started.promise;
    await until(async () => (await rig.store.getSession(id))?.session.conversation !== null);
    const first = await rig.services.sessions.fork(taro, id, { name: 'first fork' });
    // A fork of a fork that has not run copies the same conversation.
    const fork = ofFork
      ? await rig.services.sessions.fork(taro, first.id, { name: 'fork' })
      : first;
    if (!isShared) await rig.services.shares.put(ADMIN, id, { shares: [] });
    await rig.services.messages.send(taro, fork.id, MessageRequest.parse({ message: 'hi' }), null);
    let copied = false;
    const attempt = await rig.attempt(async function* (turn) {
      copied = turn.fork !== undefined;
      yield init();
      yield { kind: 'end', end: END };
    }, fork.id);
    const lost = { kind: 'failed', error: { class: 'conversation_lost' } };
    expect(await attempt.ended()).toMatchObject(isShared ? { kind: 'succeeded' } : lost);
    expect(copied).toBe(isShared);
  },
);
