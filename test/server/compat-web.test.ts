import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunState } from '../../src/contract/run.ts';
import { ADMIN } from '../support/service-rig.ts';
import { SseReader } from '../support/sse-reader.ts';
import { until } from '../support/until.ts';
import { ABSENT, compatRig, error } from './compat-rig.ts';

/* The API of the agentic web, in the order of its document. */

test('[H8] [R116] S3 §7.1 POST /api/runs queues a message and returns run_id and status', async () => {
  const { ask, ready, finished } = await compatRig();
  const id = await ready('runs');
  const made = await ask('POST', '/api/runs', { session_id: id, message: 'echo hi' });
  expect(made).toEqual({ status: 202, body: { run_id: expect.any(String), status: 'queued' } });
  expect(await finished(made.body.run_id)).toMatchObject({ sessionId: id, state: 'succeeded' });
});

test.each([
  [{ message: 'a' }, 'session_id'],
  [{ session_id: ABSENT }, 'message'],
  [{ session_id: 'x', message: 'a' }, 'session_id'],
  [{ session_id: ABSENT, message: ' ' }, 'message'],
  [{ session_id: ABSENT, message: 'a', model: 'b' }, 'model'],
])('[H8] S3 §7.1 POST /api/runs %j is refused, naming %s', async (body, field) => {
  const { ask } = await compatRig();
  const refused = await ask('POST', '/api/runs', body);
  expect(refused).toMatchObject(error('invalid_request', 400));
  expect(refused.body.error.details).toEqual({ field });
});

test('[H8] S3 §7.1 POST /api/runs to a missing session is 404', async () => {
  const { ask } = await compatRig();
  const refused = await ask('POST', '/api/runs', { session_id: ABSENT, message: 'a' });
  expect(refused).toMatchObject(error('not_found', 404));
});

test('[H8] [R062] [R116] S3 §7.1 GET /api/runs/{id} returns the run with the columns of §5.1', async () => {
  const { ask, ready, send, finished } = await compatRig();
  const id = await ready('shown');
  const run = await send(id, 'echo hi');
  await finished(run);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(await ask('GET', `/api/runs/${run}`)).toEqual({
    status: 200,
    body: {
      run_id: run,
      session_id: id,
      status: 'completed',
      input_text: 'echo hi',
      created_at: time,
      started_at: time,
      finished_at: time,
      cancel_requested_at: null,
      error_message: null,
    },
  });
  expect(await ask('GET', '/api/runs/none')).toMatchObject(error('not_found', 404));
});

test('[H8] [R027] S3 §5.1 status is queued, running, completed, failed or cancelled', async () => {
  const { ask, ready, send, finished, services } = await compatRig();
  const id = await ready('states', { holdOnFailure: false });
  const of = async (run: string): Promise<string> =>
    (await ask('GET', `/api/runs/${run}`)).body.status;
  const long = await send(id, 'sleep 60');
  const next = await send(id, 'true');
  const bad = await send(id, 'exit 3');
  await until(async () => (await of(long)) === 'running');
  expect(await of(next)).toBe('queued');
  await ask('POST', `/api/runs/${long}/cancel`);
  await finished(bad);
  const states: RunState[] = [];
  for (const run of [long, next, bad]) {
    states.push((await services.runs.get(ADMIN, run)).state);
  }
  expect(states).toEqual(['cancelled', 'succeeded', 'failed']);
  expect([await of(long), await of(next), await of(bad)]).toEqual([
    'cancelled',
    'completed',
    'failed',
  ]);
  expect((await ask('GET', `/api/runs/${bad}`)).body.error_message).toContain('3');
});

test('[H8] [R056] [R116] S3 §7.1 POST /api/runs/{id}/cancel sets cancel_requested_at, and the run ends', async () => {
  const { ask, ready, send, finished } = await compatRig();
  const id = await ready('cancel');
  const run = await send(id, 'sleep 60');
  await until(async () => (await ask('GET', `/api/runs/${run}`)).body.status === 'running');
  const asked = await ask('POST', `/api/runs/${run}/cancel`);
  expect(asked).toMatchObject({ status: 200, body: { run_id: run } });
  expect(asked.body.cancel_requested_at).toEqual(expect.any(String));
  expect(await finished(run)).toMatchObject({ state: 'cancelled' });
  expect(await ask('POST', `/api/runs/${run}/cancel`)).toMatchObject(error('run_finished', 409));
  expect(await ask('POST', '/api/runs/none/cancel')).toMatchObject(error('not_found', 404));
});

test('[H8] [R117] S3 §7.2 GET /api/runs/{id}/events streams all events in order, and ends after done', async () => {
  const { ready, send, stream } = await compatRig();
  const id = await ready('events');
  const run = await send(id, 'echo one; echo two');
  const reader = await stream(`/api/runs/${run}/events`);
  await reader.end();
  const types = reader.messages.map(({ event }) => event);
  expect([types[0], types.at(-1)]).toEqual(['run.queued', 'done']);
  expect(reader.ids).toEqual(reader.ids.toSorted((a, b) => a - b));
  expect(new Set(reader.messages.map(({ data }) => JSON.parse(data).runId))).toEqual(
    new Set([run]),
  );
});

test('[H8] [R117] [R147] S3 §14.3 Last-Event-ID is a seq: the stream continues after it, and nothing is missed', async () => {
  const { ready, send, finished, stream, open } = await compatRig();
  const id = await ready('again');
  const run = await send(id, 'echo one');
  await finished(run);
  const all = await stream(`/api/runs/${run}/events`);
  await all.end();
  for (const [i, seq] of all.ids.entries()) {
    if (i === all.ids.length - 1) continue;
    const rest = await stream(`/api/runs/${run}/events`, { 'last-event-id': String(seq) });
    await rest.end();
    expect(rest.ids).toEqual(all.ids.slice(i + 1));
  }
  const last = String(all.ids.at(-1));
  const over = await open('GET', `/api/runs/${run}/events`, undefined, {
    headers: { 'last-event-id': last },
  });
  expect(over.status).toBe(204);
});

test('[H8] [R119] S3 §7.3 GET and POST /api/sessions and GET /api/sessions/{id} work', async () => {
  const { ask } = await compatRig();
  const made = await ask('POST', '/api/sessions', { name: 'chat one', agent: { kind: 'shell' } });
  expect(made).toMatchObject({ status: 201, body: { name: 'chat one', status: 'PENDING' } });
  const { id } = made.body;
  expect(await ask('GET', '/api/sessions')).toMatchObject({ status: 200, body: [{ id }] });
  expect(await ask('GET', `/api/sessions/${id}`)).toMatchObject({ status: 200, body: { id } });
  expect(await ask('GET', `/api/sessions/${ABSENT}`)).toMatchObject(error('not_found', 404));
});

test('[H8] [R119] S3 §13 POST /api/chat/{sessionId} queues the message and streams its run', async () => {
  const { ready, open, send } = await compatRig();
  const id = await ready('chat');
  await send(id, 'echo earlier');
  const answer = await open('POST', `/api/chat/${id}`, { message: 'echo mine' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = new SseReader(answer);
  await reader.end();
  const events = reader.messages.map(({ data }) => JSON.parse(data));
  expect([reader.messages[0]?.event, reader.messages.at(-1)?.event]).toEqual([
    'run.queued',
    'done',
  ]);
  expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
  expect(events.find(({ type }) => type === 'agent.message')?.payload.text).toBe('mine\n');
});

test('[H8] S3 §13 a client that leaves the chat does not stop its run', async () => {
  const { ready, open, ask } = await compatRig();
  const id = await ready('leaves');
  const leaving = new AbortController();
  const message = 'while [ ! -e go ]; do sleep 0.05; done; echo over';
  const answer = await open('POST', `/api/chat/${id}`, { message }, { signal: leaving.signal });
  const reader = new SseReader(answer);
  await reader.until(({ messages }) => messages.some(({ event }) => event === 'agent.init'));
  const run = JSON.parse(reader.messages[0]?.data ?? '{}').runId;
  leaving.abort();
  const session = async () => (await ask('GET', `/api/v1/sessions/${id}`)).body;
  await until(async () => (await session()).activeConnections === 0);
  expect((await ask('GET', `/api/runs/${run}`)).body.status).toBe('running');
  const { workspace } = await session();
  writeFileSync(`${workspace.path}/go`, '');
  await until(async () => (await ask('GET', `/api/runs/${run}`)).body.status === 'completed');
});

test('[H8] [H9] S3 §13 a refused chat sends nothing', async () => {
  const { ready, ask, open } = await compatRig({ streamsPerUser: 1 });
  const id = await ready('full');
  const first = new SseReader(await open('GET', `/api/v1/sessions/${id}/events`));
  await first.until(({ messages }) => messages.length > 0);
  const refused = await ask('POST', `/api/chat/${id}`, { message: 'true' });
  expect(refused).toMatchObject(error('too_many_streams', 429));
  expect((await ask('GET', `/api/v1/sessions/${id}/runs`)).body.items).toEqual([]);
  expect(await ask('POST', `/api/chat/${ABSENT}`, { message: 'a' })).toMatchObject(
    error('not_found', 404),
  );
});
