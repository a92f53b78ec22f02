import { expect, test } from 'vitest';
import { authorised, type Person } from '../../test/support/principals.ts';
import { type ServiceRig, serviceRig } from '../../test/support/service-rig.ts';
import type { AuditRecord } from '../access/access-store.ts';
import type { Role } from '../contract/access.ts';
import { MessageRequest } from '../contract/message.ts';
import { CreateSession } from '../contract/session.ts';
import { newId } from '../contract/values/ids.ts';
import { SECRETS } from '../policy/masking/corpus.ts';

const secret = SECRETS[0]?.secret as string;

async function person({ store }: ServiceRig, name: string, role: Role = 'operator') {
  const { id } = await store.createUser({ id: newId(), name, role });
  const by = authorised({
    userId: id,
    role,
    channel: 'cli',
    credential: `token:${name}`,
    address: '192.0.2.7',
    requestId: `request of ${name}`,
  });
  return by;
}

const create = ({ services }: ServiceRig, by: Person, name: string) =>
  services.sessions.create(by, CreateSession.parse({ name, agent: { kind: 'shell' } }));
const message = (text: string) => MessageRequest.parse({ message: text });

/** The audit log, oldest first. */
async function linesOf({ store }: ServiceRig, target?: string): Promise<AuditRecord[]> {
  const lines = await store.listAudit({ limit: 100, ...(target === undefined ? {} : { target }) });
  return lines.reverse();
}

test('[X3] a share gives exactly its level of access, until it is removed', async () => {
  const rig = await serviceRig({ executes: false });
  const { services } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const { id } = await create(rig, hanako, 'hers');
  const share = (level: 'view' | 'operate') =>
    services.shares.put(hanako, id, { shares: [{ user: 'TARO', level }] });
  const nothing = { code: 'not_found' };

  await expect(services.sessions.get(taro, id)).rejects.toMatchObject(nothing);
  await expect(services.messages.send(taro, id, message('echo'), null)).rejects.toMatchObject(
    nothing,
  );

  expect(await share('view')).toEqual([{ userId: taro.userId, userName: 'taro', level: 'view' }]);
  expect(await services.sessions.get(taro, id)).toMatchObject({ id, level: 'view' });
  expect((await services.sessions.list(taro, {})).items).toMatchObject([{ id, level: 'view' }]);
  const of = async ({ userId: ownerId }: Person) =>
    (await services.sessions.list(taro, { ownerId })).items;
  expect([(await of(taro)).length, (await of(hanako)).length]).toEqual([0, 1]);
  for (const refused of [
    () => services.messages.send(taro, id, message('echo'), null),
    () => services.sessions.update(taro, id, { tags: ['his'] }),
    () => services.sessions.act(taro, id, 'complete'),
    () => services.sessions.fork(taro, id, { name: 'his now' }),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      code: 'forbidden',
      message: 'You have view-only access to this session.',
    });
  }

  await share('operate');
  expect((await services.sessions.list(taro, {})).items).toMatchObject([{ id, level: 'operate' }]);
  expect(await services.sessions.update(taro, id, { tags: ['his'] })).toMatchObject({
    level: 'operate',
  });
  expect(await services.sessions.get(hanako, id)).toMatchObject({ level: 'own' });
  const { runId } = await services.messages.send(taro, id, message('echo'), null);
  await services.runs.cancel(taro, runId);
  expect(await services.sessions.fork(taro, id, { name: 'his now' })).toMatchObject({
    ownerId: taro.userId,
  });
  for (const refused of [
    () => services.sessions.remove(taro, id),
    () => services.shares.list(taro, id),
    () => services.shares.put(taro, id, { shares: [] }),
    () => services.sessions.act(taro, id, 'archive', 'own'),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      code: 'forbidden',
      message: "Only the session's owner or an admin can do this.",
    });
  }

  await services.shares.put(hanako, id, { shares: [] });
  await expect(services.sessions.get(taro, id)).rejects.toMatchObject(nothing);
  await expect(services.runs.get(taro, runId)).rejects.toMatchObject(nothing);
  await expect(services.messages.send(taro, id, message('echo'), null)).rejects.toMatchObject(
    nothing,
  );
});

test('[X3] runs, counts and statistics cover what the user may see; runs without a session are for admins', async () => {
  const rig = await serviceRig({ executes: false });
  const { services, queue } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const boss = await person(rig, 'boss', 'admin');
  const scoped = authorised({ ...boss, scopes: ['read', 'run'] });
  const hers = await create(rig, hanako, 'hers');
  const his = await create(rig, taro, 'his');
  const mine = await services.messages.send(hanako, hers.id, message('echo'), null);
  const theirs = await services.messages.send(taro, his.id, message('echo'), null);
  queue.register('other', {});
  const other = await queue.enqueue({ type: 'other', payload: null, owner: hanako.userId });
  const ids = async (by: Person) =>
    (await services.runs.list(by, {})).items.map((run) => run.id).sort();
  const queued = async (by: Person) => [
    (await services.runs.counts(by)).queued,
    (await services.runs.stats(by)).runs.queued,
    (await services.runs.stats(by)).sessions.PENDING,
  ];

  expect(await ids(hanako)).toEqual([mine.runId]);
  expect(await queued(hanako)).toEqual([1, 1, 1]);
  await expect(services.runs.get(hanako, other.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(services.runs.cancel(hanako, other.id)).rejects.toMatchObject({ code: 'not_found' });
  await services.shares.put(taro, his.id, { shares: [{ user: hanako.userId, level: 'view' }] });
  expect(await ids(hanako)).toEqual([mine.runId, theirs.runId].sort());
  expect(await queued(hanako)).toEqual([2, 2, 2]);

  expect(await ids(scoped)).toEqual([]);
  expect(await queued(scoped)).toEqual([0, 0, 0]);
  expect(await ids(boss)).toEqual([mine.runId, theirs.runId, other.id].sort());
  expect(await queued(boss)).toEqual([3, 3, 2]);
  expect(await services.runs.get(boss, other.id)).toMatchObject({ type: 'other' });
});

test('[X3] a share names an existing user, once, and not the owner', async () => {
  const rig = await serviceRig({ executes: false });
  const { services } = rig;
  const hanako = await person(rig, 'hanako');
  const taro = await person(rig, 'taro');
  const { id } = await create(rig, hanako, 'hers');
  const share = (...users: string[]) =>
    services.shares.put(hanako, id, { shares: users.map((user) => ({ user, level: 'view' })) });
  await share('taro');
  await expect(share('nobody')).rejects.toMatchObject({
    code: 'unknown_user',
    details: { field: 'shares.0.user' },
  });
  await expect(share('taro', taro.userId)).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(share('hanako')).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await services.shares.list(hanako, id)).toMatchObject([{ userName: 'taro' }]);
});

test("[S9] the name of a shared session is unique among its owner's", async () => {
  const rig = await serviceRig({ executes: false });
  const { services } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  await create(rig, hanako, 'first');
  await create(rig, taro, 'second');
  const { id } = await create(rig, hanako, 'third');
  await services.shares.put(hanako, id, { shares: [{ user: 'taro', level: 'operate' }] });
  await expect(services.sessions.update(taro, id, { name: 'first' })).rejects.toMatchObject({
    code: 'name_taken',
  });
  expect(await services.sessions.update(taro, id, { name: 'second' })).toMatchObject({
    name: 'second',
  });
});

test('[P6] the audit log records who did what, with before and after, and no secret', async () => {
  const rig = await serviceRig({ executes: false });
  const { services } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const { id } = await create(rig, hanako, 'hers');
  await services.sessions.update(hanako, id, {
    name: 'hers',
    tags: ['web'],
    description: `${secret} ${'long '.repeat(50)}`,
  });
  await services.shares.put(hanako, id, { shares: [{ user: 'taro', level: 'view' }] });
  const sent = await services.messages.send(hanako, id, message(`echo ${secret}`), null);
  await services.runs.edit(hanako, sent.runId, { message: 'echo', before: null });
  await services.runs.cancel(hanako, sent.runId);
  const again = await services.runs.retry(hanako, sent.runId);
  await services.runs.remove(hanako, again.id);
  await services.sessions.act(hanako, id, 'hold');
  await services.sessions.act(hanako, id, 'complete');
  const fork = await services.sessions.fork(hanako, id, { name: 'another' });
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
  const { services, store } = rig;
  const [hanako, taro] = [await person(rig, 'hanako'), await person(rig, 'taro')];
  const { id } = await create(rig, hanako, 'hers');
  await expect(services.sessions.remove(taro, id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(services.sessions.act(hanako, id, 'reopen')).rejects.toMatchObject({
    code: 'session_state',
  });
  await services.sessions.remove(hanako, id);
  const deletion = { action: 'session.delete', before: { name: 'hers', status: 'PENDING' } };
  expect(await linesOf(rig, id)).toMatchObject([{ action: 'session.create' }, deletion]);

  // It had already ended, so the deletion itself is the first step that takes effect.
  const ended = await create(rig, hanako, 'ended');
  await services.sessions.act(hanako, ended.id, 'terminate');
  await services.sessions.remove(hanako, ended.id);
  expect(await linesOf(rig, ended.id)).toMatchObject([
    { action: 'session.create' },
    { action: 'session.terminate' },
    { action: 'session.delete', before: { status: 'TERMINATED' } },
  ]);

  // A process that dies after the first step has audited it.
  const half = await create(rig, hanako, 'half');
  Object.assign(store, { deleteSession: () => Promise.reject(new Error('died')) });
  await expect(services.sessions.remove(hanako, half.id)).rejects.toThrow('died');
  expect(await linesOf(rig, half.id)).toMatchObject([
    { action: 'session.create' },
    { action: 'session.delete' },
  ]);
  expect(await services.sessions.get(hanako, half.id)).toMatchObject({ status: 'TERMINATED' });
});
