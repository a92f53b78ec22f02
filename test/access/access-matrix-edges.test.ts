import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { eventOf } from '../../src/contract/events/event-of.ts';
import { newId } from '../../src/contract/values/ids.ts';
import { SseReader } from '../support/sse-reader.ts';
import { until } from '../support/until.ts';
import { WsReader } from '../support/ws-reader.ts';
import { type AccessRig, accessRig, operator } from './access-matrix-rig.ts';

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

const asking =
  ({ url }: AccessRig, token: string) =>
  (path: string, { method = 'GET', body, headers }: Sent = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });

/** An error response without the parts that differ between responses. */
async function errorOf(response: Response): Promise<unknown> {
  const { error } = (await response.json()) as { error: unknown };
  return { status: response.status, error };
}

test('[X2] a token that may not read gets no conversation by sending a message to it', async () => {
  const rig = await accessRig();
  const id = await rig.user('hanako', 'operator');
  const ask = asking(rig, (await rig.token(id, ['read', 'run'])).token);
  const body = JSON.stringify({ name: 'secret', agent: { kind: 'shell' } });
  const made = await ask('/api/v1/sessions', { method: 'POST', body });
  const session = ((await made.json()) as { id: string }).id;
  const blind = asking(rig, (await rig.token(id, ['run'])).token);
  const message = JSON.stringify({ message: 'echo x' });
  const chat = await blind(`/api/chat/${session}`, { method: 'POST', body: message });
  expect(await errorOf(chat)).toMatchObject({ status: 403, error: { details: { right: 'read' } } });
  const runs = (await (await ask(`/api/v1/runs?sessionId=${session}`)).json()) as { items: [] };
  expect(runs.items).toEqual([]);
});

test('[X2] a user with only the right to read changes nothing, not even their own sessions', async () => {
  const rig = await accessRig();
  const hanako = await rig.user('hanako', 'viewer');
  const taro = await rig.user('taro', 'operator');
  for (const [owner, lacking] of [
    [hanako, 'role'],
    [taro, 'credential'],
  ] as const) {
    const { id } = await rig.session(owner, 'own');
    const asked = await rig.approval(id, 'own');
    const run = await rig.send(owner, id, 'own');
    const client = createClient({ url: rig.url, token: (await rig.token(owner, ['read'])).token });
    const params = { id };
    expect(await client.getSession({ params })).toMatchObject({ id });
    for (const refused of [
      () => client.createSession({ body: { name: 'one more', agent: { kind: 'shell' } } }),
      () => client.updateSession({ params, body: { tags: [] } }),
      () => client.terminate({ params }),
      () => client.fork({ params, body: { name: 'one more' } }),
      () => client.deleteSession({ params }),
      () => client.putShares({ params, body: { shares: [] } }),
      () => client.sendMessage({ params, body: { message: 'echo' } }),
      () => client.editRun({ params: { id: run }, body: { message: 'echo' } }),
      () => client.removeRun({ params: { id: run } }),
      () => client.cancelRun({ params: { id: run } }),
      () => client.retryRun({ params: { id: run } }),
      () => client.putSessionRules({ params, body: { allow: [], ask: [], deny: [] } }),
      () => client.listHosts(),
      () => client.decideApproval({ params: { id: asked }, body: { decision: 'allow' } }),
      () => client.revealApproval({ params: { id: asked } }),
      () => client.decideApproval({ params: { id: newId() }, body: { decision: 'allow' } }),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'forbidden',
        details: { right: 'run', lacking },
      });
    }
  }
});

test('[X2] only administrators set rules for all, and move sessions', async () => {
  const rig = await accessRig();
  const hanako = await rig.user('hanako', 'operator');
  const { id } = await rig.session(hanako, 'own');
  const { token } = await rig.token(hanako, ['read', 'run', 'account']);
  const client = createClient({ url: rig.url, token });
  const body = { allow: [], ask: [], deny: ['Bash'], enforced: ['Bash'] };
  for (const refused of [
    () => client.putGlobalRules({ body }),
    () => client.putChannelRules({ params: { channel: 'line' }, body }),
    () => client.moveSession({ params: { id }, body: { host: 'test' } }),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      code: 'forbidden',
      details: { right: 'admin', lacking: 'role' },
    });
  }
});

test('[X2] the right is checked before the input, and the credential before the right', async () => {
  const rig = await accessRig();
  const viewer = await rig.user('viewer', 'viewer');
  const { token } = await rig.token(viewer, ['read', 'account']);
  const requests: [string, Sent][] = [
    ['/api/v1/sessions', { method: 'POST', body: '{' }],
    ['/api/v1/sessions', { method: 'POST', body: `"${'x'.repeat(2 ** 20)}"` }],
    [
      '/api/v1/sessions',
      { method: 'POST', body: 'name=x', headers: { 'content-type': 'text/plain' } },
    ],
    ['/api/v1/sessions', { method: 'POST', body: '{"owner":"somebody"}' }],
    ['/api/v1/sessions/no-id/messages', { method: 'POST', body: '{}' }],
    ['/api/v1/runs/x?y=z', { method: 'DELETE' }],
    ['/api/v1/users?limit=many', {}],
    ['/metrics', { method: 'HEAD' }],
  ];
  for (const [path, sent] of requests) {
    const right = /users|metrics/.test(path) ? 'admin' : 'run';
    const refused = await asking(rig, token)(path, sent);
    expect([path, refused.status]).toEqual([path, 403]);
    if (sent.method !== 'HEAD') {
      expect(await errorOf(refused)).toMatchObject({
        error: { code: 'forbidden', details: { right, lacking: 'role' } },
      });
    }
    const strange = await asking(rig, 'nobody')(path, sent);
    expect([path, strange.status]).toEqual([path, 401]);
  }
  // An unknown path requires no right, but still a credential.
  for (const [path, sent] of [
    ['/nowhere', {}],
    ['/api/v1/me', { method: 'POST', body: '{}' }],
  ] as [string, Sent][]) {
    expect((await asking(rig, token)(path, sent)).status).toBe(404);
    expect((await asking(rig, 'nobody')(path, sent)).status).toBe(401);
  }
  const { token: scoped } = await rig.token(await rig.user('operator', 'operator'), ['read']);
  const refused = await asking(rig, scoped)('/api/v1/sessions', { method: 'POST', body: '{' });
  expect(await errorOf(refused)).toMatchObject({
    error: {
      message: 'This requires the "run" right: your role has it, but this credential does not.',
      details: { right: 'run', lacking: 'credential' },
    },
  });
});

test("[X3] another user's id inside a request reveals no more than a nonexistent one", async () => {
  const rig = await accessRig();
  const [mine, other] = [await rig.user('mine', 'operator'), await rig.user('other', 'operator')];
  const ask = asking(rig, (await rig.token(mine, ['read', 'run'])).token);
  const own = await rig.session(mine, 'mine');
  const queued = await rig.send(mine, own.id, 'mine');
  const foreign = await rig.session(other, 'other');
  const theirs = await rig.send(other, foreign.id, 'other');
  const same = async (of: (id: string) => Promise<Response>, theirId: string): Promise<void> => {
    const [there, absent] = [await of(theirId), await of(newId())];
    const show = async (response: Response) =>
      response.ok ? await response.json() : await errorOf(response);
    expect(await show(there)).toEqual(await show(absent));
  };
  const before = (id: string) =>
    ask(`/api/v1/runs/${queued}`, { method: 'PATCH', body: JSON.stringify({ before: id }) });
  await same(before, theirs);
  await same((id) => ask(`/api/v1/sessions?cursor=${id}`), foreign.id);
  await same((id) => ask(`/api/v1/runs?cursor=${id}`), theirs);
  await same((id) => ask(`/api/v1/runs?sessionId=${id}`), foreign.id);
  await same((id) => ask(`/api/v1/sessions/${own.id}/runs?state=queued&cursor=${id}`), theirs);
  await same(
    (id) =>
      ask('/api/runs', {
        method: 'POST',
        body: JSON.stringify({ session_id: id, message: 'echo' }),
      }),
    foreign.id,
  );
  // A name is taken only among the user's own.
  const body = JSON.stringify({ name: 'the same name', agent: { kind: 'shell' } });
  expect((await ask('/api/v1/sessions', { method: 'POST', body })).status).toBe(201);
  const them = asking(rig, (await rig.token(other, ['read', 'run'])).token);
  expect((await them('/api/v1/sessions', { method: 'POST', body })).status).toBe(201);
});

test('[X3] [E9] streams cover only what is shared, and end when the share is removed', async () => {
  const rig = await accessRig();
  const { services, store } = rig;
  const [owner, reader] = [await rig.user('owner', 'operator'), await rig.user('reader', 'viewer')];
  const { token } = await rig.token(reader, ['read']);
  const ask = asking(rig, token);
  const shared = await rig.session(owner, 'shared');
  const hidden = await rig.session(owner, 'hidden');
  const own = await rig.session(reader, 'own');
  const share = (level: 'view' | null) =>
    services.shares.put(operator(owner), shared.id, {
      shares: level === null ? [] : [{ user: 'reader', level }],
    });
  const note = (lane: string, word: string) =>
    store.change({
      do: 'note',
      lane,
      event: eventOf('agent.message', { text: `says ${word}` }),
    });
  await share('view');
  const log = new SseReader(await ask(`/api/v1/sessions/${shared.id}/events`));
  const hints = new SseReader(await ask('/api/v1/events'));
  const socket = new WsReader(`${rig.url}/ws/sessions/${shared.id}`, {
    authorization: `Bearer ${token}`,
  });
  const ends = [log.end(), hints.end()];
  await until(() => log.messages.length > 0 && socket.events.length > 0);
  await note(hidden.id, 'hidden');
  await note(shared.id, 'shared again');
  await until(() => log.messages.some(({ data }) => data.includes('shared again')));
  await until(() => hints.messages.some(({ data }) => data.includes(shared.id)));
  await until(() => JSON.stringify(socket.events).includes('shared again'));

  await share(null);
  await ends[0];
  await socket.end();
  await until(() => hints.messages.some(({ data }) => data === '{"all":true}'));
  const before = hints.messages.length;
  await note(shared.id, 'too late');
  await note(own.id, 'own');
  await until(() => hints.messages.slice(before).some(({ data }) => data.includes(own.id)));
  expect(JSON.stringify(hints.messages.slice(before))).not.toContain(shared.id);
  const heard = JSON.stringify([log.messages, hints.messages, socket.events, socket.others]);
  expect(heard).not.toContain('hidden');
  expect(heard).not.toContain(hidden.id);
  expect(heard).not.toContain('too late');
  expect((await ask(`/api/v1/sessions/${shared.id}/events`)).status).toBe(404);
  await store.updateUser(reader, { disabled: true });
  await ends[1];
  expect((await ask('/api/v1/events')).status).toBe(401);
});

test('[X2] an export breaks off when its reader is disabled', async () => {
  const rig = await accessRig();
  const reader = await rig.user('reader', 'viewer');
  const ask = asking(rig, (await rig.token(reader, ['read'])).token);
  const { id } = await rig.session(reader, 'long');
  // More than sockets buffer, so that the export is under way until it is read.
  const event = eventOf('agent.message', { text: 'x'.repeat(200_000) });
  for (let i = 0; i < 60; i++) await rig.store.change({ do: 'note', lane: id, event });
  const download = await ask(`/api/v1/sessions/${id}/export`);
  expect(download.status).toBe(200);
  await rig.store.updateUser(reader, { disabled: true });
  await expect(download.arrayBuffer()).rejects.toThrow('terminated');
});

test('[X2] a caller who loses access while the body arrives is refused', async () => {
  const rig = await accessRig();
  const [locked, demoted] = [await rig.user('a', 'operator'), await rig.user('b', 'operator')];
  const body = JSON.stringify({ name: 'late', agent: { kind: 'shell' } });
  const { findToken } = rig.store;
  let authenticated = 0;
  rig.store.findToken = async (...given) => {
    const token = await findToken(...given);
    authenticated += 1;
    return token;
  };
  const begin = async (user: string) => {
    const { token } = await rig.token(user, ['read', 'run']);
    const sending = request(`${rig.url}/api/v1/sessions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.write(body.slice(0, 1));
    const end = async (): Promise<number | undefined> => {
      sending.end(body.slice(1));
      const [{ statusCode }] = await answer;
      return statusCode;
    };
    return { end, ask: asking(rig, token) };
  };
  const [first, second] = [await begin(locked), await begin(demoted)];
  await until(() => authenticated === 2);
  await rig.store.updateUser(locked, { disabled: true });
  await rig.store.updateUser(demoted, { role: 'viewer' });
  await until(async () => (await first.ask('/api/v1/me')).status === 401);
  expect(await first.end()).toBe(401);
  expect(await second.end()).toBe(403);
});
