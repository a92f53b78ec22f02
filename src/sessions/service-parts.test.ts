import { expect, test } from 'vitest';
import { type ServiceRig, serviceRig } from '../../test/support/service-rig.ts';
import type { AuditRecord } from '../access/access-store.ts';
import type { Principal } from '../access/principal.ts';
import type { Role } from '../contract/access.ts';
import { newId } from '../contract/ids.ts';
import { MessageRequest } from '../contract/message.ts';
import { CreateSession } from '../contract/session.ts';
import { SECRETS } from '../policy/masking/corpus.ts';

const secret = SECRETS[0]?.secret as string;

async function person({ store }: ServiceRig, name: string, role: Role = 'operator') {
  const { id } = await store.createUser({ id: newId(), name, role });
  const by: Principal = {
    userId: id,
    role,
    channel: 'cli',
    credential: `token:${name}`,
    address: '192.0.2.7',
    requestId: `request of ${name}`,
  };
  return by;
}

const create = ({ service }: ServiceRig, by: Principal, name: string) =>
  service.create(by, CreateSession.parse({ name, agent: { kind: 'shell' } }));
const message = (text: string) => MessageRequest.parse({ message: text });

/** The audit log, oldest first. */
async function linesOf({ store }: ServiceRig, target?: string): Promise<AuditRecord[]> {
  const lines = await store.listAudit({ limit: 100, ...(target === undefined ? {} : { target }) });
  return lines.reverse();
}

test('[X3] a share gives exactly its level of access, until it is removed', async () => {
  const rig = await serviceRig({ executes: false });
  const { service } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const { id } = await create(rig, hanako, 'hers');
  const share = (level: 'view' | 'operate') =>
    service.share(hanako, id, { shares: [{ user: 'TARO', level }] });
  const nothing = { code: 'not_found' };

  await expect(service.get(taro, id)).rejects.toMatchObject(nothing);
  await expect(service.send(taro, id, message('echo'), null)).rejects.toMatchObject(nothing);

  expect(await share('view')).toEqual([{ userId: taro.userId, userName: 'taro', level: 'view' }]);
  expect(await service.get(taro, id)).toMatchObject({ id, level: 'view' });
  expect((await service.list(taro, {})).items).toMatchObject([{ id, level: 'view' }]);
  const of = async ({ userId: ownerId }: Principal) =>
    (await service.list(taro, { ownerId })).items;
  expect([(await of(taro)).length, (await of(hanako)).length]).toEqual([0, 1]);
  for (const refused of [
    () => service.send(taro, id, message('echo'), null),
    () => service.update(taro, id, { tags: ['his'] }),
    () => service.act(taro, id, 'complete'),
    () => service.fork(taro, id, { name: 'his now' }),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      code: 'forbidden',
      message: 'You have view-only access to this session.',
    });
  }

  await share('operate');
  expect((await service.list(taro, {})).items).toMatchObject([{ id, level: 'operate' }]);
  expect(await service.update(taro, id, { tags: ['his'] })).toMatchObject({ level: 'operate' });
  expect(await service.get(hanako, id)).toMatchObject({ level: 'own' });
  const { runId } = await service.send(taro, id, message('echo'), null);
  await service.cancelRun(taro, runId);
  expect(await service.fork(taro, id, { name: 'his now' })).toMatchObject({ ownerId: taro.userId });
  for (const refused of [
    () => service.remove(taro, id),
    () => service.shares(taro, id),
    () => service.share(taro, id, { shares: [] }),
    () => service.act(taro, id, 'archive', 'own'),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      code: 'forbidden',
      message: "Only the session's owner or an admin can do this.",
    });
  }

  await service.share(hanako, id, { shares: [] });
  await expect(service.get(taro, id)).rejects.toMatchObject(nothing);
  await expect(service.getRun(taro, runId)).rejects.toMatchObject(nothing);
  await expect(service.send(taro, id, message('echo'), null)).rejects.toMatchObject(nothing);
});

test('[X2] a user with only the right to read changes nothing, not even their own sessions', async () => {
  const rig = await serviceRig({ executes: false });
  const { service } = rig;
  const before = await person(rig, 'hanako');
  const { id } = await create(rig, before, 'hers');
  const { runId } = await service.send(before, id, message('echo'), null);
  const viewer: Principal = { ...before, role: 'viewer' };
  const scoped: Principal = { ...before, scopes: ['read'] };
  expect(await service.get(viewer, id)).toMatchObject({ id });
  for (const by of [viewer, scoped]) {
    const lacking = by === viewer ? 'role' : 'credential';
    for (const refused of [
      () => create(rig, by, 'one more'),
      () => service.update(by, id, { tags: [] }),
      () => service.act(by, id, 'terminate'),
      () => service.fork(by, id, { name: 'one more' }),
      () => service.remove(by, id),
      () => service.share(by, id, { shares: [] }),
      () => service.send(by, id, message('echo'), null),
      () => service.editRun(by, runId, { message: 'echo' }),
      () => service.removeRun(by, runId),
      () => service.cancelRun(by, runId),
      () => service.retryRun(by, runId),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'forbidden',
        details: { right: 'run', lacking },
      });
    }
  }
});

test('[X3] runs, counts and statistics cover what the user may see; runs without a session are for admins', async () => {
  const rig = await serviceRig({ executes: false });
  const { service, queue } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const boss = await person(rig, 'boss', 'admin');
  const scoped: Principal = { ...boss, scopes: ['read', 'run'] };
  const hers = await create(rig, hanako, 'hers');
  const his = await create(rig, taro, 'his');
  const mine = await service.send(hanako, hers.id, message('echo'), null);
  const theirs = await service.send(taro, his.id, message('echo'), null);
  queue.register('other', {});
  const other = await queue.enqueue({ type: 'other', payload: null, owner: hanako.userId });
  const ids = async (by: Principal) =>
    (await service.listRuns(by, {})).items.map((run) => run.id).sort();
  const queued = async (by: Principal) => [
    (await service.counts(by)).queued,
    (await service.stats(by)).runs.queued,
    (await service.stats(by)).sessions.PENDING,
  ];

  expect(await ids(hanako)).toEqual([mine.runId]);
  expect(await queued(hanako)).toEqual([1, 1, 1]);
  await expect(service.getRun(hanako, other.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(service.cancelRun(hanako, other.id)).rejects.toMatchObject({ code: 'not_found' });
  await service.share(taro, his.id, { shares: [{ user: hanako.userId, level: 'view' }] });
  expect(await ids(hanako)).toEqual([mine.runId, theirs.runId].sort());
  expect(await queued(hanako)).toEqual([2, 2, 2]);

  expect(await ids(scoped)).toEqual([]);
  expect(await queued(scoped)).toEqual([0, 0, 0]);
  expect(await ids(boss)).toEqual([mine.runId, theirs.runId, other.id].sort());
  expect(await queued(boss)).toEqual([3, 3, 2]);
  expect(await service.getRun(boss, other.id)).toMatchObject({ type: 'other' });
});

test('[X3] a share names an existing user, once, and not the owner', async () => {
  const rig = await serviceRig({ executes: false });
  const { service } = rig;
  const hanako = await person(rig, 'hanako');
  const taro = await person(rig, 'taro');
  const { id } = await create(rig, hanako, 'hers');
  const share = (...users: string[]) =>
    service.share(hanako, id, { shares: users.map((user) => ({ user, level: 'view' })) });
  await share('taro');
  await expect(share('nobody')).rejects.toMatchObject({
    code: 'unknown_user',
    details: { field: 'shares.0.user' },
  });
  await expect(share('taro', taro.userId)).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(share('hanako')).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await service.shares(hanako, id)).toMatchObject([{ userName: 'taro' }]);
});

test("[S9] the name of a shared session is unique among its owner's", async () => {
  const rig = await serviceRig({ executes: false });
  const { service } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  await create(rig, hanako, 'first');
  await create(rig, taro, 'second');
  const { id } = await create(rig, hanako, 'third');
  await service.share(hanako, id, { shares: [{ user: 'taro', level: 'operate' }] });
  await expect(service.update(taro, id, { name: 'first' })).rejects.toMatchObject({
    code: 'name_taken',
  });
  expect(await service.update(taro, id, { name: 'second' })).toMatchObject({ name: 'second' });
});

test('[P6] the audit log records who did what, with before and after, and no secret', async () => {
  const rig = await serviceRig({ executes: false });
  const { service } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const { id } = await create(rig, hanako, 'hers');
  await service.update(hanako, id, {
    name: 'hers',
    tags: ['web'],
    description: `${secret} ${'long '.repeat(50)}`,
  });
  await service.share(hanako, id, { shares: [{ user: 'taro', level: 'view' }] });
  const sent = await service.send(hanako, id, message(`echo ${secret}`), null);
  await service.editRun(hanako, sent.runId, { message: 'echo', before: null });
  await service.cancelRun(hanako, sent.runId);
  const again = await service.retryRun(hanako, sent.runId);
  await service.removeRun(hanako, again.id);
  await service.act(hanako, id, 'hold');
  await service.act(hanako, id, 'complete');
  const fork = await service.fork(hanako, id, { name: 'another' });
  const lines = await linesOf(rig);
  const at = { kind: 'session', id };
  const onRun = { kind: 'run', id: sent.runId };
  expect(lines).toMatchObject([
    { action: 'session.create', target: at, before: null, after: { name: 'hers' } },
    { action: 'session.update', target: at, before: { tags: [], description: '' } },
    { action: 'session.share', before: {}, after: { [taro.userId]: 'view' } },
    { action: 'message.send', target: at, after: { onBusy: 'enqueue' } },
    { action: 'run.edit', target: onRun, after: { chars: 4, before: null } },
    { action: 'run.cancel', target: onRun, before: { state: 'queued' } },
    { action: 'run.retry', target: onRun, after: { runId: again.id } },
    { action: 'run.remove', target: { kind: 'run', id: again.id }, before: { state: 'queued' } },
    { action: 'session.hold', target: at, before: { held: false } },
    { action: 'session.complete', target: at, before: { status: 'PENDING' } },
    { action: 'session.fork', target: { kind: 'session', id: fork.id }, after: { forkedFrom: id } },
  ]);
  const { userId, channel, credential, address, requestId } = hanako;
  for (const line of lines) {
    expect(line).toMatchObject({ userId, channel, credential, address, requestId });
  }
  // Neither unchanged fields, nor long texts in full.
  const after = lines[1]?.after as { description: string };
  expect(Object.keys(after).sort()).toEqual(['description', 'tags']);
  expect(after.description.length).toBeLessThan(110);
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test('[P6] a deletion is audited once, by the first step that takes effect; a refused one is not', async () => {
  const rig = await serviceRig({ executes: false });
  const { service, store } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const { id } = await create(rig, hanako, 'hers');
  await expect(service.remove(taro, id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(service.act(hanako, id, 'reopen')).rejects.toMatchObject({ code: 'session_state' });
  await service.remove(hanako, id);
  const deletion = { action: 'session.delete', before: { name: 'hers', status: 'PENDING' } };
  expect(await linesOf(rig, id)).toMatchObject([{ action: 'session.create' }, deletion]);

  // It had already ended, so the deletion itself is the first step that takes effect.
  const ended = await create(rig, hanako, 'ended');
  await service.act(hanako, ended.id, 'terminate');
  await service.remove(hanako, ended.id);
  expect(await linesOf(rig, ended.id)).toMatchObject([
    { action: 'session.create' },
    { action: 'session.terminate' },
    { action: 'session.delete', before: { status: 'TERMINATED' } },
  ]);

  // A process that dies after the first step has audited it.
  const half = await create(rig, hanako, 'half');
  Object.assign(store, { deleteSession: () => Promise.reject(new Error('died')) });
  await expect(service.remove(hanako, half.id)).rejects.toThrow('died');
  expect(await linesOf(rig, half.id)).toMatchObject([
    { action: 'session.create' },
    { action: 'session.delete' },
  ]);
  expect(await service.get(hanako, half.id)).toMatchObject({ status: 'TERMINATED' });
});
