import { expect, test } from 'vitest';
import type { AgentPayload } from '../../src/contract/message.ts';
import { invocation } from '../../src/sessions/conformance/rig.ts';
import { ABSENT, compatRig, error } from './compat-rig.ts';

/* The routes of the session scheduler, in the order of its document. */

const SESSION_KEYS = [
  'archived_at',
  'cost_usd',
  'created_at',
  'labels',
  'last_active_at',
  'last_response',
  'name',
  'session_id',
  'status',
];

test('[H8] [R103] S0 §6 POST /sessions creates a session, GET /sessions/{id} shows it', async () => {
  const { ask } = await compatRig();
  const made = await ask('POST', '/sessions', { name: 'fix login', agent: { kind: 'shell' } });
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'fix login', status: 'PENDING', labels: [], last_response: null, cost_usd: 0 },
  });
  expect(Object.keys(made.body).sort()).toEqual(SESSION_KEYS);
  const shown = await ask('GET', `/sessions/${made.body.session_id}`);
  expect([shown.status, shown.body.session_id]).toEqual([200, made.body.session_id]);
  const again = await ask('POST', '/sessions', { name: 'fix login', agent: { kind: 'shell' } });
  expect(again).toMatchObject(error('name_taken', 409));
  expect(await ask('GET', `/sessions/${ABSENT}`)).toMatchObject(error('not_found', 404));
});

test('[H8] S0 §7 A: GET /sessions lists sessions with their status, newest first, in pages', async () => {
  const { ask, open, ready } = await compatRig();
  const [first, second] = [await ready('first'), await ready('second')];
  const all = await ask('GET', '/sessions');
  expect(all.body).toMatchObject([
    { session_id: second, status: 'ACTIVE' },
    { session_id: first, status: 'ACTIVE' },
  ]);
  const page = await open('GET', '/sessions?limit=1');
  const cursor = encodeURIComponent(page.headers.get('x-next-cursor') ?? '');
  expect((await ask('GET', `/sessions?limit=1&cursor=${cursor}`)).body).toMatchObject([
    { session_id: first },
  ]);
});

test('[H8] S0 §7 C: POST /sessions/{id}/messages takes a message, which runs', async () => {
  const { ask, ready, finished } = await compatRig();
  const id = await ready('talk');
  const sent = await ask('POST', `/sessions/${id}/messages`, { message: 'echo hello' });
  expect(sent).toEqual({
    status: 202,
    body: { job_id: expect.any(String), session_id: id, status: 'queued', position: 0 },
  });
  expect(await finished(sent.body.job_id)).toMatchObject({ state: 'succeeded' });
  expect((await ask('GET', `/sessions/${id}`)).body.last_response).toContain('hello');
});

test('[H8] [R054] S0 §3.3 a prompt with metadata is a message; its tool rules count, the rest is stored', async () => {
  const { ask, ready, queue, finished } = await compatRig();
  const id = await ready('from line');
  const sent = await ask('POST', `/sessions/${id}/messages`, {
    prompt: 'echo テスト',
    metadata: {
      origin: 'line',
      user: 'U1234567890',
      allowed_tools: ['Bash(read-only)', 'mcp__filesystem'],
      disallowed_tools: ['Bash(git push)'],
      thread: 7,
    },
  });
  expect(sent).toMatchObject({ status: 202, body: { session_id: id, status: 'queued' } });
  await finished(sent.body.job_id);
  const payload = (await queue.get(sent.body.job_id))?.payload as AgentPayload;
  expect(payload).toEqual({
    message: 'echo テスト',
    original: false,
    // The sender follows from the credential alone.
    channel: 'api',
    sender: 'admin',
    allowedTools: ['Bash(read-only)', 'mcp__filesystem'],
    disallowedTools: ['Bash(git push)'],
    metadata: { origin: 'line', user: 'U1234567890', thread: 7 },
  });
});

test.each([
  [{}, 'prompt'],
  [{ message: 'a', prompt: 'a' }, 'prompt'],
  [{ prompt: '' }, 'prompt'],
  [{ prompt: 'a', metadata: { allowed_tools: 'Read' } }, 'metadata.allowed_tools'],
  [
    { prompt: 'a', allowedTools: ['Read'], metadata: { allowed_tools: ['Write'] } },
    'metadata.allowed_tools',
  ],
  [
    { prompt: 'a', disallowedTools: [], metadata: { disallowed_tools: [] } },
    'metadata.disallowed_tools',
  ],
  [{ prompt: 'a', job_id: 42 }, 'job_id'],
])('[H8] S0 §3.3 %j is refused, naming %s', async (body, field) => {
  const { ask, ready } = await compatRig();
  const id = await ready('odd');
  const refused = await ask('POST', `/sessions/${id}/messages`, body);
  expect(refused).toMatchObject(error('invalid_request', 400));
  expect(refused.body.error.details).toEqual({ field });
  expect((await ask('GET', `/api/v1/sessions/${id}/runs`)).body.items).toEqual([]);
});

test('[H8] [R025] S0 §3.2 a message goes through the named states, and the log shows them', async () => {
  const { ask, ready, stream } = await compatRig();
  const id = await ready('states');
  const { job_id } = (await ask('POST', `/sessions/${id}/messages`, { prompt: 'true' })).body;
  const reader = await stream(`/sessions/${id}/events`);
  await reader.until(({ messages }) => messages.some(({ event }) => event === 'done'));
  const types = reader.messages
    .filter(({ data }) => JSON.parse(data).runId === job_id)
    .map(({ event }) => event);
  expect(types.filter((type) => type !== 'agent.message' && type !== 'agent.delta')).toEqual([
    'run.queued',
    'run.dequeued',
    'run.start',
    'agent.init',
    'run.finished',
    'done',
  ]);
});

test('[H8] S0 §1 messages of a session run in order, one at a time', async () => {
  const { ask, ready, finished } = await compatRig();
  const id = await ready('order');
  const jobs: string[] = [];
  for (const prompt of ['sleep 0.2; echo 1 >>log', 'echo 2 >>log', 'cat log']) {
    jobs.push((await ask('POST', `/sessions/${id}/messages`, { prompt })).body.job_id);
  }
  await finished(jobs.at(-1) ?? '');
  expect((await ask('GET', `/sessions/${id}`)).body.last_response).toBe('1\n2\n');
});

test('[H8] S0 §5 the same Idempotency-Key returns the same job', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('once');
  const send = (prompt: string) =>
    ask('POST', `/sessions/${id}/messages`, { prompt }, { 'idempotency-key': 'k1' });
  const [first, second] = [await send('true'), await send('true')];
  expect(second.body.job_id).toBe(first.body.job_id);
  expect(await send('false')).toMatchObject(error('idempotency_conflict', 409));
});

test('[H8] [R104] [R132] S0 §8.2 GET /sessions/{id}/cost returns the documented shape', async () => {
  const { ask, ready, send, finished, store } = await compatRig();
  const id = await ready('cost');
  const run = await send(id, 'true');
  await finished(run);
  expect(await ask('GET', `/sessions/${id}/cost`)).toEqual({
    status: 200,
    body: {
      source: 'shell',
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_tokens: 0,
      cache_read_tokens: 0,
      model: null,
      cost_usd: 0,
    },
  });
  // The answer has the source of the figures and, of several models, the most expensive one.
  for (const [model, costUsd] of [
    ['haiku', 0.25],
    ['sonnet', 0.5],
  ] as const) {
    const used = { model, costUsd, costSource: 'claude', inputTokens: 3, outputTokens: 4 };
    await store.putInvocation(invocation(id, run, used));
  }
  expect((await ask('GET', `/sessions/${id}/cost`)).body).toMatchObject({
    source: 'claude_cli_json',
    input_tokens: 6,
    output_tokens: 8,
    model: 'sonnet',
    cost_usd: 0.75,
  });
  expect(await ask('GET', `/sessions/${ABSENT}/cost`)).toMatchObject(error('not_found', 404));
});

test('[H8] [R104] S0 §8.3 DELETE /sessions/{id}?archive=true archives it, DELETE removes it', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('away', { idleTimeoutSeconds: 0 });
  expect(await ask('DELETE', `/sessions/${id}?archive=true`)).toEqual({
    status: 204,
    body: undefined,
  });
  expect((await ask('GET', '/sessions')).body).toEqual([]);
  expect((await ask('GET', `/sessions/${id}`)).body.archived_at).toEqual(expect.any(String));
  expect(await ask('DELETE', `/sessions/${id}`)).toEqual({ status: 204, body: undefined });
  expect(await ask('GET', `/sessions/${id}`)).toMatchObject(error('not_found', 404));
});

test.each(['important', 'audit'])(
  '[H8] S0 §8.3 a session labelled %s cannot be deleted',
  async (label) => {
    const { ask, ready } = await compatRig();
    const id = await ready('kept', { labels: [label] });
    expect((await ask('GET', `/sessions/${id}`)).body.labels).toEqual([label]);
    expect(await ask('DELETE', `/sessions/${id}`)).toMatchObject(error('session_protected', 409));
  },
);

test('[H8] S0 §8.4 a secret in a prompt is masked before it is stored', async () => {
  const { ask, ready, queue } = await compatRig();
  const id = await ready('secrets');
  const prompt = `: ghp_${'a1'.repeat(18)}`;
  const { job_id } = (await ask('POST', `/sessions/${id}/messages`, { prompt })).body;
  const payload = (await queue.get(job_id))?.payload as AgentPayload;
  expect(payload.message).toBe(': ***GITHUB_TOKEN***');
});

test('[H8] S0 §4.4 GET /sessions/{id}/events streams, and continues after Last-Event-ID', async () => {
  const { ready, send, finished, stream, ask } = await compatRig();
  const id = await ready('events');
  await finished(await send(id, 'echo one'));
  const reader = await stream(`/sessions/${id}/events`);
  await reader.until(({ messages }) => messages.some(({ event }) => event === 'done'));
  const half = reader.ids[3] ?? 0;
  const rest = await stream(`/sessions/${id}/events`, { 'last-event-id': String(half) });
  await rest.until(({ messages }) => messages.some(({ event }) => event === 'done'));
  expect(rest.ids[0]).toBe(half + 1);
  expect(await ask('GET', `/sessions/${ABSENT}/events`)).toMatchObject(error('not_found', 404));
});
