import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { type Server, TOKEN } from '../support/server-rig.ts';
import { SseReader } from '../support/sse-reader.ts';
import { until } from '../support/until.ts';
import { Cluster, PATIENCE_MS } from './cluster-rig.ts';

const RECONNECTIONS = 100;

const open = async (api: Server, path: string, headers = {}): Promise<SseReader> => {
  const answer = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });
  expect(answer.status).toBe(200);
  const reader = new SseReader(answer);
  onTestFinished(() => reader.stop());
  return reader;
};

test('[E3] a hundred reconnections, to the other node each time, show every event once', async () => {
  const cluster = await Cluster.create();
  const apis = await cluster.apis();
  await cluster.node('worker');
  const [first, second] = apis;
  const { id } = await first.session('much to say');
  const gate = join(temporaryDirectory(), 'gate');
  const command = `until [ -e ${gate} ]; do i=$((i+1)); echo line $i; sleep 0.05; done`;
  const run = await first.send(id, command);

  const seen: SessionEvent[] = [];
  /** True once it has seen the end. */
  const reader = async (turn: number): Promise<boolean> => {
    const last = seen.at(-1)?.seq;
    const cursor = last === undefined ? {} : { 'last-event-id': String(last) };
    const stream = await open(apis[turn % 2]!, `/api/v1/sessions/${id}/events`, cursor);
    await stream.until(({ messages }) => messages.length > 0);
    await stream.stop();
    seen.push(...stream.messages.map(({ data }) => JSON.parse(data) as SessionEvent));
    return seen.some(({ type, runId }) => type === 'done' && runId === run);
  };
  for (let turn = 0; turn < RECONNECTIONS; turn++) expect(await reader(turn)).toBe(false);
  writeFileSync(gate, '');
  for (let turn = RECONNECTIONS; !(await reader(turn)); turn++);

  expect((await second.run(run)).state).toBe('succeeded');
  const whole = await second.log(id);
  expect(seen).toEqual(whole.slice(0, seen.length));
  // It may have grown, because the number of connections is logged, too.
  expect((await first.log(id)).slice(0, whole.length)).toEqual(whole);
}, 600_000);

test('[E9] a change on one node is hinted to a reader on the other', async () => {
  const cluster = await Cluster.create();
  const [first, second] = await cluster.apis();
  await cluster.node('worker');
  const hints = await open(second, '/api/v1/events');
  const { id } = await first.session('seen from afar');
  const hinted = () =>
    hints.messages
      .map(
        ({ data }) => JSON.parse(data) as { sessionId?: string; lastSeq: number; status: string },
      )
      .filter(({ sessionId }) => sessionId === id);
  await hints.until(() => hinted().some(({ status }) => status === 'ACTIVE'));

  const run = await first.send(id, 'echo here');
  await first.finished(run, PATIENCE_MS);
  const { lastSeq } = await first.call<{ lastSeq: number }>('GET', `/api/v1/sessions/${id}`);
  await hints.until(() => hinted().some((hint) => hint.lastSeq >= lastSeq));
  const seqs = hinted().map((hint) => hint.lastSeq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  // Hints have no ids: they cannot be resumed.
  expect(hints.messages.every(({ id: eventId }) => eventId === undefined)).toBe(true);

  // Also for changes that are not made by a run.
  await first.call('POST', `/api/v1/sessions/${id}/complete`);
  await hints.until(() => hinted().some(({ status }) => status === 'COMPLETED'));
}, 600_000);

test('[S3] connections are counted over all nodes, without those of dead ones', async () => {
  const cluster = await Cluster.create();
  const [first, second] = await cluster.apis({ leaseSeconds: 6 });
  await cluster.node('worker', { leaseSeconds: 6 });
  const { id } = await first.session('many eyes');
  const path = `/api/v1/sessions/${id}/events`;
  const counts = async (): Promise<number> =>
    (await second.call<{ activeConnections: number }>('GET', `/api/v1/sessions/${id}`))
      .activeConnections;
  for (const api of [first, first, second]) await open(api, path);
  await until(async () => (await counts()) === 3, { ms: PATIENCE_MS });
  await first.kill();
  await until(async () => (await counts()) === 1, { ms: PATIENCE_MS, every: 50 });
}, 600_000);
