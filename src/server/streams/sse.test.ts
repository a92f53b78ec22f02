import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { SseReader } from '../../../test/support/sse-reader.ts';
import { ADMIN, streamRig, TOKEN } from '../../../test/support/stream-rig.ts';
import { range } from '../../../test/support/tails.ts';
import { until } from '../../../test/support/until.ts';
import { SessionEvent } from '../../contract/session-event.ts';

test('[E2] a stream has the stored events, then new ones, in order and each once', async () => {
  const rig = await streamRig();
  const id = await rig.session(40);
  const response = await rig.get(`/api/v1/sessions/${id}/events`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': expect.any(String),
  });
  expect(response.headers.has('content-encoding')).toBe(false);
  const reader = new SseReader(response);
  await reader.until(({ ids }) => ids.length === 40);
  for (let i = 40; i < 60; i++) await rig.note(id, { n: i, text: 'line\nbreak\r\n行' });
  await reader.until(({ ids }) => ids.length === 60);
  expect(reader.ids).toEqual(range(1, 60));
  const last = reader.messages.at(-1);
  expect(last?.event).toBe('run.progress');
  expect(SessionEvent.parse(JSON.parse(last?.data ?? ''))).toMatchObject({
    seq: 60,
    sessionId: id,
    runId: null,
    type: 'run.progress',
    payload: { n: 59, text: 'line\nbreak\r\n行' },
  });
  expect(reader.retries).toEqual([1000]);
  await reader.stop();
});

test('[E2] headers are sent at once, before any event', async () => {
  const rig = await streamRig();
  const id = await rig.session();
  const response = await rig.get(`/api/v1/sessions/${id}/events`);
  expect(response.status).toBe(200);
  await response.body?.cancel();
});

test('[E2] the stream of a run ends after its done event', async () => {
  const rig = await streamRig();
  const id = await rig.session();
  const first = await rig.run(id, 30);
  const second = await rig.run(id, 3);
  const reader = new SseReader(await rig.get(`/api/v1/runs/${first}/events`));
  expect(await reader.end()).toBe(false);
  expect(reader.messages.at(-1)?.event).toBe('done');
  const events = reader.messages.map(({ data }) => JSON.parse(data));
  expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([first]));
  expect(events.filter(({ type }) => type === 'agent.delta')).toHaveLength(30);
  expect(await new SseReader(await rig.get(`/api/v1/runs/${second}/events`)).end()).toBe(false);
});

test('[E2] a reader that has seen the end of a run gets 204, so it does not reconnect', async () => {
  const rig = await streamRig();
  const id = await rig.session();
  const run = await rig.run(id, 2);
  const path = `/api/v1/runs/${run}/events`;
  const reader = new SseReader(await rig.get(path));
  await reader.end();
  const last = reader.ids.at(-1) as number;
  const over = await rig.get(path, { 'last-event-id': `${last}` });
  expect([over.status, over.headers.has('content-type')]).toEqual([204, false]);
  const again = new SseReader(await rig.get(path, { 'last-event-id': `${last - 1}` }));
  await again.end();
  expect(again.messages.map(({ event }) => event)).toEqual(['done']);
});

test('[E2] Last-Event-ID takes precedence over after', async () => {
  const rig = await streamRig();
  const id = await rig.session(10);
  const first = async (query: string, headers: Record<string, string>): Promise<number> => {
    const reader = new SseReader(await rig.get(`/api/v1/sessions/${id}/events${query}`, headers));
    await reader.until(({ ids }) => ids.length > 0);
    await reader.stop();
    return reader.ids[0] as number;
  };
  expect(await first('?after=3', {})).toBe(4);
  expect(await first('?after=3', { 'last-event-id': '7' })).toBe(8);
  expect(await first('', { 'last-event-id': '9' })).toBe(10);
  expect(await first('?after=3', { 'last-event-id': '' })).toBe(4);
});

test('[E2] a bad cursor is refused before the stream opens', async () => {
  const rig = await streamRig();
  const id = await rig.session(10);
  const cases: [query: string, lastEventId: string | null, code: string][] = [
    ['?after=-1', null, 'invalid_request'],
    ['?after=x', null, 'invalid_request'],
    ['?after=1.5', null, 'invalid_request'],
    ['?after=1&after=2', null, 'invalid_request'],
    ['?before=1', null, 'invalid_request'],
    ['?follow=perhaps', null, 'invalid_request'],
    ['?limit=0', null, 'invalid_request'],
    ['?after=11', null, 'cursor_ahead'],
    ['?follow=false&after=11', null, 'cursor_ahead'],
    ['', '-1', 'invalid_request'],
    ['', '1 2', 'invalid_request'],
    ['', '9'.repeat(400), 'invalid_request'],
    ['', '11', 'cursor_ahead'],
    ['?after=1', '11', 'cursor_ahead'],
  ];
  for (const [query, last, code] of cases) {
    const headers: Record<string, string> = last === null ? {} : { 'last-event-id': last };
    const response = await rig.get(`/api/v1/sessions/${id}/events${query}`, headers);
    expect([query, last, response.status]).toEqual([query, last, 400]);
    expect(await response.json()).toMatchObject({ error: { code } });
  }
  expect([rig.counted.opened, rig.connected()]).toEqual([0, 0]);
});

test('[X3] a missing log is 404, and without a credential 401', async () => {
  const rig = await streamRig();
  const none = crypto.randomUUID();
  expect((await rig.get(`/api/v1/sessions/${none}/events`)).status).toBe(404);
  expect((await rig.get(`/api/v1/runs/${none}/events`)).status).toBe(404);
  expect((await rig.get('/api/v1/sessions/x/events')).status).toBe(400);
  for (const path of [`sessions/${none}/events`, `runs/${none}/events`, 'events']) {
    expect((await fetch(`${rig.url}/api/v1/${path}`)).status).toBe(401);
  }
});

test('[E2] follow=false returns pages', async () => {
  const rig = await streamRig();
  const id = await rig.session(25);
  const seen: number[] = [];
  let after: number | null = 0;
  for (let pages = 0; after !== null; pages++) {
    const query: string = `?follow=false&limit=10&after=${after}`;
    const response = await rig.get(`/api/v1/sessions/${id}/events${query}`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const page = (await response.json()) as { items: SessionEvent[]; nextCursor: number | null };
    seen.push(...page.items.map(({ seq }) => seq));
    after = page.nextCursor;
    expect(pages).toBeLessThan(3);
  }
  expect(seen).toEqual(range(1, 25));
  expect(rig.counted.opened).toBe(0);
});

test('[E2] idle streams are pinged', async () => {
  const rig = await streamRig({ limits: { pingMs: 20 } });
  const id = await rig.session();
  const log = new SseReader(await rig.get(`/api/v1/sessions/${id}/events`));
  const hints = new SseReader(await rig.get('/api/v1/events'));
  await log.until(({ comments }) => comments.length >= 3);
  await hints.until(({ comments }) => comments.length >= 3);
  expect(log.comments).toContain('ping');
  await Promise.all([log.stop(), hints.stop()]);
});

test('[S3] a stream is a connection until it ends, however it ends', async () => {
  const rig = await streamRig();
  const id = await rig.session();
  const reader = new SseReader(await rig.get(`/api/v1/sessions/${id}/events`));
  expect([rig.connected(), rig.streams.count]).toEqual([1, 1]);
  await reader.stop();
  await until(() => rig.connected() === 0 && rig.streams.count === 0);
  const run = await rig.run(id, 1);
  await new SseReader(await rig.get(`/api/v1/runs/${run}/events`)).end();
  await until(() => rig.connected() === 0);
  expect(rig.queue.following.tails).toBe(0);
  expect([rig.counted.opened, rig.counted.closed]).toEqual([2, 2]);
});

test('[H9] the number of a user’s open streams is limited', async () => {
  const rig = await streamRig({ limits: { perUser: 3 } });
  const id = await rig.session();
  const readers = [
    new SseReader(await rig.get(`/api/v1/sessions/${id}/events`)),
    new SseReader(await rig.get(`/api/v1/sessions/${id}/events`)),
    new SseReader(await rig.get('/api/v1/events')),
  ];
  for (const path of [`sessions/${id}/events`, 'events']) {
    const refused = await rig.get(`/api/v1/${path}`);
    expect(refused.status).toBe(429);
    expect(refused.headers.has('retry-after')).toBe(true);
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_streams' } });
  }
  await readers[0]?.stop();
  await until(async () => {
    const response = await rig.get(`/api/v1/sessions/${id}/events`);
    await response.body?.cancel();
    return response.status === 200;
  });
  await Promise.all(readers.map((reader) => reader.stop()));
});

test('[E9] hints say which sessions changed, without event ids', async () => {
  const rig = await streamRig();
  const id = await rig.session(2);
  const reader = new SseReader(await rig.get('/api/v1/events'));
  await until(async () => {
    await rig.note(id);
    const seen = await Promise.race([
      reader.until(({ messages }) => messages.length > 0),
      new Promise<false>((resolve) => setTimeout(resolve, 20, false)),
    ]);
    return seen;
  });
  const [hint] = reader.messages;
  expect(hint).toMatchObject({ event: 'hint', id: undefined });
  expect(JSON.parse(hint?.data ?? '')).toMatchObject({
    sessionId: id,
    lastSeq: expect.any(Number),
  });
  await reader.stop();
});

test('[E2] HEAD returns the headers and opens nothing', async () => {
  const rig = await streamRig();
  const id = await rig.session(1);
  const head = (path: string) =>
    fetch(`${rig.url}${path}`, { method: 'HEAD', headers: { authorization: `Bearer ${TOKEN}` } });
  for (const path of [`/api/v1/sessions/${id}/events`, '/api/v1/events']) {
    const response = await head(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
  }
  expect((await head(`/api/v1/sessions/${id}/events?after=2`)).status).toBe(400);
  expect((await head(`/api/v1/sessions/${crypto.randomUUID()}/events`)).status).toBe(404);
  expect((await fetch(`${rig.url}/api/v1/events`, { method: 'HEAD' })).status).toBe(401);
  expect(rig.counted.opened).toBe(0);
});

test('[E2] an HTTP/1.0 client gets a stream without chunked encoding', async () => {
  const rig = await streamRig();
  const id = await rig.session(1);
  const run = await rig.run(id, 1);
  const socket = connect(Number(new URL(rig.url).port), '127.0.0.1');
  socket.write(
    `GET /api/v1/runs/${run}/events HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
  );
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text).not.toMatch(/transfer-encoding/i);
  expect(text).toMatch(/\r\n\r\nretry: 1000\n\nid: \d+\nevent: /);
  expect(text).toMatch(/event: done\ndata: .*\n\n$/);
});

test('[E2] a stopping server ends its streams and asks readers to reconnect soon', async () => {
  const rig = await streamRig();
  const id = await rig.session(3);
  const log = new SseReader(await rig.get(`/api/v1/sessions/${id}/events`));
  const hints = new SseReader(await rig.get('/api/v1/events'));
  await log.until(({ ids }) => ids.length === 3);
  const closing = Promise.all([rig.streams.close(), rig.streams.close()]);
  expect([await log.end(), await hints.end()]).toEqual([false, false]);
  await closing;
  expect(log.comments.at(-1)).toBe('restart, resume after 3');
  expect([log.retries.at(-1), hints.retries.at(-1)]).toEqual([1000, 1000]);
  expect([rig.streams.count, rig.connected()]).toEqual([0, 0]);
  const refused = await rig.get(`/api/v1/sessions/${id}/events`);
  expect(refused.status).toBe(503);
  await refused.body?.cancel();
});

test('removing a session ends its streams', async () => {
  const rig = await streamRig();
  const id = await rig.session();
  const reader = new SseReader(await rig.get(`/api/v1/sessions/${id}/events`));
  await reader.until(({ messages }) => messages.length === 1);
  await rig.services.sessions.remove(ADMIN, id);
  expect(await reader.end()).toBe(false);
  expect(reader.comments.at(-1)).toBe('gone');
  expect((await rig.get(`/api/v1/sessions/${id}/events`)).status).toBe(404);
});
