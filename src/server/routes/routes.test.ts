import { expect, test } from 'vitest';
import { streamRig, TOKEN } from '../../../test/support/stream-rig.ts';
import { until } from '../../../test/support/until.ts';
import type { RunView } from '../../contract/run-view.ts';
import type { Session } from '../../contract/session.ts';

async function rig() {
  const { app, session, run, queue } = await streamRig();
  /** The status, body and headers of a response. */
  const ask = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
    headers = {},
  ) => {
    const answer = await app.inject({
      method,
      url: `/api/v1${url}`,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const body = answer.body === '' ? undefined : answer.json();
    return { status: answer.statusCode, body, headers: answer.headers };
  };
  const create = async (name: string, more: object = {}): Promise<Session> => {
    const { status, body } = await ask('POST', '/sessions', {
      name,
      agent: { kind: 'shell' },
      ...more,
    });
    expect(status).toBe(201);
    return body;
  };
  const names = async (url: string): Promise<string[]> =>
    (await ask('GET', url)).body.map(({ name }: Session) => name);
  /** Sends messages to a held session. */
  const queued = async (...messages: string[]) => {
    const { id } = await create(`held-${messages.length}`);
    await ask('POST', `/sessions/${id}/hold`);
    const runs: string[] = [];
    for (const message of messages) {
      runs.push((await ask('POST', `/sessions/${id}/messages`, { message })).body.runId);
    }
    const order = async (): Promise<string[]> =>
      (await ask('GET', `/sessions/${id}/runs?state=queued`)).body.items.map(
        (one: RunView) => one.message,
      );
    return { id, runs, order };
  };
  const finished = async (id: string): Promise<RunView> => {
    await until(async () => (await ask('GET', `/runs/${id}`)).body.finishedAt !== null);
    return (await ask('GET', `/runs/${id}`)).body;
  };
  return { ask, create, names, queued, finished, session, run, queue };
}

const error = (code: string, status: number) => ({
  status,
  body: { error: { code, status, message: expect.any(String) } },
});
const ABSENT = '0190a1b2-0000-7000-8000-000000000000';

test('[H1] a session can be created, read, changed and searched for', async () => {
  const { ask, create, names } = await rig();
  const made = await create('fix login', { tags: ['web', 'web'], labels: ['later'] });
  expect(made).toMatchObject({
    name: 'fix login',
    tags: ['web'],
    ownerId: 'admin',
    status: 'PENDING',
  });
  expect((await ask('GET', `/sessions/${made.id}`)).body).toEqual(made);
  await create('other');

  const changed = await ask('PUT', `/sessions/${made.id}`, {
    description: 'Safari',
    tags: ['mac'],
  });
  expect(changed).toMatchObject({ status: 200, body: { description: 'Safari', tags: ['mac'] } });
  expect(await names('/sessions')).toEqual(['other', 'fix login']);
  expect(await names('/sessions?label=later')).toEqual(['fix login']);
  expect(await names('/sessions/tag/mac')).toEqual(['fix login']);
  expect(await names('/sessions/tag/web')).toEqual([]);
  expect(await names('/sessions/search?name=LOGIN')).toEqual(['fix login']);
  expect(await names('/sessions/status/PENDING')).toEqual(['other', 'fix login']);
  expect(await names('/sessions/status/ERROR')).toEqual([]);
  expect((await ask('GET', `/sessions/${made.id}/cost`)).body).toMatchObject({ costUsd: 0 });
});

test('[H1] [C2] lists by activity have pages, too, and a cursor is valid only for its order', async () => {
  const { ask, create, names } = await rig();
  const made = [];
  for (const name of ['one', 'two', 'three']) made.push(await create(name));
  await ask('POST', `/sessions/${made[0]!.id}/messages`, { message: 'true' });
  const ordered = async (url: string) => {
    const { body, headers } = await ask('GET', url);
    const shown = body.map(({ name }: Session) => name) as string[];
    return [shown, headers['x-next-cursor']] as const;
  };
  const [first, cursor] = await ordered('/sessions?order=activity&limit=2');
  expect(first).toEqual(['one', 'three']);
  expect(await ordered(`/sessions?order=activity&limit=2&cursor=${cursor}`)).toEqual([
    ['two'],
    undefined,
  ]);
  expect(await names('/sessions')).toEqual(['three', 'two', 'one']);
  const wrong = { status: 400, body: { error: { details: { field: 'cursor' } } } };
  expect(await ask('GET', `/sessions?cursor=${cursor}`)).toMatchObject(wrong);
  expect(await ask('GET', `/sessions?order=activity&cursor=${made[0]!.id}`)).toMatchObject(wrong);
});

test('[S9] names in any script are stored and found, and normalized forms of a name are equal', async () => {
  const { ask, create, names } = await rig();
  const all = ['Fix #12', 'v2.0', 'Überprüfung', 'Проверка', '한국어', 'a/b?c&d=%'];
  for (const name of all) expect(await create(name)).toMatchObject({ name });
  for (const name of all) {
    const matches = await names(`/sessions/search?name=${encodeURIComponent(name.toUpperCase())}`);
    expect(matches).toEqual([name]);
  }
  const apart = 'Überprüfung'.normalize('NFD');
  expect(await names(`/sessions?name=${encodeURIComponent(apart)}`)).toEqual(['Überprüfung']);
  const again = await ask('POST', '/sessions', { name: apart, agent: { kind: 'shell' } });
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'name_taken' } } });
});

test('[H1] lists have pages, and the header has the next cursor', async () => {
  const { ask, create } = await rig();
  for (const name of ['one', 'two', 'three']) await create(name);
  const first = await ask('GET', '/sessions?limit=2');
  expect(first.body.map(({ name }: Session) => name)).toEqual(['three', 'two']);
  const cursor = encodeURIComponent(String(first.headers['x-next-cursor']));
  const last = await ask('GET', `/sessions?limit=2&cursor=${cursor}`);
  expect(last.body.map(({ name }: Session) => name)).toEqual(['one']);
  expect(last.headers['x-next-cursor']).toBeUndefined();
});

test('[S2] actions change the status of sessions, and impossible ones are refused', async () => {
  const { ask, create } = await rig();
  const { id } = await create('act');
  const act = (action: string) => ask('POST', `/sessions/${id}/${action}`);
  expect(await act('hold')).toMatchObject({ status: 200, body: { held: true } });
  expect(await act('resume')).toMatchObject({ status: 200, body: { held: false } });
  expect(await act('reopen')).toMatchObject(error('session_state', 409));
  expect(await act('terminate')).toMatchObject({ status: 200, body: { status: 'TERMINATED' } });
  const late = await ask('POST', `/sessions/${id}/messages`, { message: '1' });
  expect(late).toMatchObject(error('session_ended', 409));
  expect(await act('reopen')).toMatchObject({ status: 200, body: { status: 'PENDING' } });
});

test('[S12] a session can be archived or deleted, but not deleted while protected', async () => {
  const { ask, create, names } = await rig();
  const [away, kept, gone] = [
    await create('away'),
    await create('kept', { labels: ['audit'] }),
    await create('gone'),
  ];
  expect(await ask('DELETE', `/sessions/${away.id}?archive=true`)).toMatchObject({
    status: 204,
    body: undefined,
  });
  expect(await ask('DELETE', `/sessions/${kept.id}`)).toMatchObject(
    error('session_protected', 409),
  );
  expect(await ask('DELETE', `/sessions/${gone.id}`)).toMatchObject({
    status: 204,
    body: undefined,
  });
  expect(await names('/sessions')).toEqual(['kept']);
  expect(await names('/sessions?archived=true')).toEqual(['away']);
  expect(await ask('GET', `/sessions/${gone.id}`)).toMatchObject(error('not_found', 404));
});

test('[S9] [S10] a fork is a new session, and names are unique', async () => {
  const { ask, create } = await rig();
  const { id } = await create('first', { description: 'about' });
  expect(await ask('POST', `/sessions/${id}/fork`, { name: 'first' })).toMatchObject(
    error('name_taken', 409),
  );
  const fork = await ask('POST', `/sessions/${id}/fork`, { name: 'second' });
  expect(fork).toMatchObject({
    status: 201,
    body: { name: 'second', description: 'about', forkedFrom: id },
  });
  expect(await ask('PUT', `/sessions/${id}`, { name: 'second' })).toMatchObject(
    error('name_taken', 409),
  );
});

test('[H2] a message becomes a run, which can be listed, read and counted', async () => {
  const { ask, create, finished } = await rig();
  const { id } = await create('talk');
  const sent = await ask('POST', `/sessions/${id}/messages`, { message: '2' });
  expect(sent).toMatchObject({
    status: 202,
    body: { sessionId: id, status: 'queued', position: 0 },
  });
  const run = await finished(sent.body.runId);
  expect(run).toMatchObject({
    state: 'succeeded',
    status: 'completed',
    message: '2',
    channel: 'api',
  });
  for (const url of [`/sessions/${id}/runs`, `/runs?sessionId=${id}`, '/runs?state=succeeded']) {
    expect((await ask('GET', url)).body).toEqual({ items: [run], nextCursor: null });
  }
  await until(async () => (await ask('GET', '/queue/counts')).body.succeeded === 1);
  expect((await ask('GET', `/runs/${run.id}/invocations`)).body).toEqual({ items: [] });
  expect(await ask('POST', `/runs/${run.id}/cancel`)).toMatchObject(error('run_finished', 409));
  const again = await ask('POST', `/runs/${run.id}/retry`);
  expect(again).toMatchObject({ status: 201, body: { retryOf: run.id } });
  await finished(again.body.id);
});

test('[Q10] a message with a known Idempotency-Key returns the same run', async () => {
  const { ask, create } = await rig();
  const { id } = await create('once');
  const send = (message: string) =>
    ask('POST', `/sessions/${id}/messages`, { message }, { 'idempotency-key': 'k1' });
  const [first, second, other] = [await send('1'), await send('1'), await send('2')];
  expect(second.body.runId).toBe(first.body.runId);
  expect(other).toMatchObject(error('idempotency_conflict', 409));
});

test('[Q12] queued runs can be edited, moved, removed and cancelled', async () => {
  const { ask, queued } = await rig();
  const { runs, order } = await queued('1', '2', '3', '4');
  expect(await order()).toEqual(['1', '2', '3', '4']);
  const moved = await ask('PATCH', `/runs/${runs[2]}`, { message: '33', before: runs[0] ?? '' });
  expect(moved).toMatchObject({ status: 200, body: { message: '33' } });
  await ask('PATCH', `/runs/${runs[0]}`, { before: null });
  expect(await order()).toEqual(['33', '2', '4', '1']);
  expect(await ask('DELETE', `/runs/${runs[1]}`)).toMatchObject({ status: 204 });
  expect(await ask('POST', `/runs/${runs[3]}/cancel`)).toMatchObject({
    status: 200,
    body: { state: 'cancelled' },
  });
  expect(await order()).toEqual(['33', '1']);
  expect(await ask('PATCH', `/runs/${runs[3]}`, { before: null })).toMatchObject(
    error('run_not_queued', 409),
  );
  expect(await ask('PATCH', `/runs/${runs[0]}`, {})).toMatchObject(error('invalid_request', 400));
  expect(await ask('POST', `/runs/${runs[0]}/retry`)).toMatchObject(error('run_not_finished', 409));
});

test('[Q12] the pages of a queue follow its order', async () => {
  const { ask, queued } = await rig();
  const { id } = await queued('1', '2', '3');
  const first = await ask('GET', `/sessions/${id}/runs?state=queued&limit=2`);
  const url = `/sessions/${id}/runs?state=queued&limit=2&cursor=${first.body.nextCursor}`;
  const last = await ask('GET', url);
  const messages = [...first.body.items, ...last.body.items].map(({ message }: RunView) => message);
  expect([messages, last.body.nextCursor]).toEqual([['1', '2', '3'], null]);
});

test('[H9] every route with an id answers 404 if nothing has the id', async () => {
  const { ask } = await rig();
  const session = [
    ['GET', ''],
    ['PUT', '', {}],
    ['DELETE', ''],
    ['DELETE', '?archive=true'],
    ['POST', '/complete'],
    ['POST', '/hold'],
    ['POST', '/fork', { name: 'abc' }],
    ['GET', '/cost'],
    ['GET', '/export'],
    ['GET', '/runs'],
    ['POST', '/messages', { message: 'a' }],
  ] as const;
  for (const [method, rest, body] of session) {
    expect(await ask(method, `/sessions/${ABSENT}${rest}`, body)).toMatchObject(
      error('not_found', 404),
    );
  }
  const run = [
    ['GET', ''],
    ['PATCH', '', { before: null }],
    ['DELETE', ''],
    ['POST', '/cancel'],
    ['POST', '/retry'],
    ['GET', '/invocations'],
  ] as const;
  for (const [method, rest, body] of run) {
    expect(await ask(method, `/runs/${ABSENT}${rest}`, body)).toMatchObject(
      error('not_found', 404),
    );
  }
});
