import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { SseReader } from '../../../test/support/sse-reader.ts';
import { ADMIN, streamRig, TOKEN } from '../../../test/support/stream-rig.ts';
import { range } from '../../../test/support/tails.ts';
import { until } from '../../../test/support/until.ts';

function open(url: string, path: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  return socket;
}

test('[E4] a reader that reads nothing is dropped, another gets everything, memory is bounded', async () => {
  const rig = await streamRig({ limits: { endMs: 100 } });
  const sockets: Socket[] = [];
  rig.app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const id = await rig.session();
  const path = `/api/v1/sessions/${id}/events`;
  const slow = open(rig.url, path);
  await until(() => rig.streams.count === 1);
  slow.pause();
  const reader = new SseReader(await rig.get(path));

  const text = 'x'.repeat(64 * 1024);
  let written = 1;
  while (rig.counted.dropped.length === 0) {
    await Promise.all(range(1, 4).map(() => rig.note(id, text)));
    written += 4;
    await reader.until(({ ids }) => ids.length === written);
    // At most one batch: what a tail may buffer.
    const unsent = Math.max(...sockets.map(({ writableLength }) => writableLength));
    expect(unsent).toBeLessThan(2 * 1024 * 1024);
  }
  expect(rig.counted.dropped).toEqual(['sse']);
  await until(() => rig.streams.count === 1 && rig.connected() === 1);
  expect(rig.queue.following.tails).toBe(1);
  expect(reader.ids).toEqual(range(1, written));
  await reader.stop();
});

test('[E4] a reader that is stalled for too long is dropped, however little is unsent', async () => {
  const rig = await streamRig({
    limits: { endMs: 50, stallMs: 200 },
    follow: { unreadBytes: 100_000_000, stallMs: 60_000 },
  });
  const id = await rig.session();
  const path = `/api/v1/sessions/${id}/events`;
  const slow = open(rig.url, path);
  slow.pause();
  await until(() => rig.streams.count === 1);
  // More than the system buffers for the reader, so some of it waits here.
  const text = 'x'.repeat(250_000);
  for (let i = 0; i < 40 && rig.counted.dropped.length === 0; i++) await rig.note(id, text);
  await until(() => rig.counted.dropped.length === 1);
  await until(() => rig.streams.count === 0);
});

test('[E4] a dropped reader that reads on gets its cursor, and continues from there', async () => {
  const rig = await streamRig({ limits: { stallMs: 60_000, endMs: 20_000 } });
  const id = await rig.session();
  const path = `/api/v1/sessions/${id}/events`;
  const slow = open(rig.url, path);
  slow.pause();
  await until(() => rig.streams.count === 1);
  const text = 'x'.repeat(100_000);
  let written = 1;
  for (; rig.counted.dropped.length === 0; written++) await rig.note(id, text);
  let received = '';
  slow.on('data', (data) => {
    received += data.toString('latin1');
  });
  slow.resume();
  await until(() => /: dropped, resume after \d+\n/.test(received));
  const ids = [...received.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
  const cursor = Number(/resume after (\d+)/.exec(received)?.[1]);
  expect(ids).toEqual(range(1, cursor));
  const again = new SseReader(await rig.get(`${path}?after=${cursor}`));
  await again.until((reader) => reader.ids.at(-1) === written);
  expect(again.ids).toEqual(range(cursor + 1, written));
  await again.stop();
});

test('[E2] [E4] a thousand readers of one run get every event', async () => {
  const rig = await streamRig({ limits: { perUser: 1000 } });
  const id = await rig.session();
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const run = await rig.run(id, 40);
  const texts = new Map<number, string>();
  let ended = 0;
  for (let i = 0; i < 1000; i++) {
    const socket = open(rig.url, `/api/v1/runs/${run}/events`);
    socket.on('data', (data) => {
      const text = (texts.get(i) ?? '') + data.toString('latin1');
      texts.set(i, text);
      if (text.endsWith('0\r\n\r\n')) ended++;
    });
  }
  await until(() => rig.streams.count === 1000, { ms: 60_000, every: 20 });
  await rig.services.sessions.act(ADMIN, id, 'resume');
  await until(() => ended === 1000, { ms: 60_000, every: 20 });
  const stored = (await rig.queue.events(id, { limit: 1000, runId: run })).map(({ seq }) => seq);
  expect(stored.length).toBeGreaterThan(40);
  for (const text of texts.values()) {
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(stored);
  }
  await until(() => rig.streams.count === 0 && rig.connected() === 0);
}, 180_000);
