import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { streamRig, TOKEN } from '../../../test/support/stream-rig.ts';
import { until } from '../../../test/support/until.ts';
import { MessageRequest } from '../../contract/message.ts';

const LARGE = 'x'.repeat(200_000);
const requestOf = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: a.localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;

/** A session with more data than sockets buffer, and a reader that is paused at first. */
async function rig(limits: { perUser?: number; stallMs?: number }) {
  const server = await streamRig({ limits });
  const id = await server.session();
  for (let i = 0; i < 60; i++) await server.note(id, LARGE);
  const open = (path: string): Socket => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').pause();
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(requestOf(path));
    return socket;
  };
  const base = `/api/v1/sessions/${id}`;
  return {
    server,
    open,
    id,
    base,
    exported: `${base}/export`,
    page: `${base}/events?follow=false`,
  };
}

test('[H9] downloads count as streams of their user until they end', async () => {
  const { server, open, exported, page } = await rig({ perUser: 2 });
  const unread = [open(exported), open(exported)];
  const status = async (path: string): Promise<number> => {
    const answer = await server.get(path);
    await answer.arrayBuffer();
    return answer.status;
  };
  await until(async () => (await status(page)) === 429);
  expect(await status(exported)).toBe(429);
  for (const socket of unread) socket.destroy();
  await until(async () => (await status(page)) === 200);
  // Answered and refused downloads have released their slots.
  for (let i = 0; i < 5; i++) expect(await status(exported)).toBe(200);
  expect(await status(`${exported}?nonsense`)).toBe(400);
  for (let i = 0; i < 5; i++) expect(await status(page)).toBe(200);
});

test('[E4] [H9] a download whose reader takes nothing is ended', async () => {
  const { server, open, exported } = await rig({ stallMs: 200 });
  const socket = open(exported);
  await until(async () => (await server.sockets()) === 1);
  await until(async () => (await server.sockets()) === 0);
  socket.resume();
  await once(socket, 'close');
});

test('[E4] [H9] a download whose reader takes nothing but keeps sending is ended, too', async () => {
  const { server, open, exported } = await rig({ stallMs: 300 });
  const socket = open(exported);
  await until(async () => (await server.sockets()) === 1);
  const sending = setInterval(() => socket.write('\r\n'), 50);
  onTestFinished(() => clearInterval(sending));
  await until(async () => (await server.sockets()) === 0);
});

/** Lists with more data than sockets buffer, requested on one connection. */
async function listRig(limits: { perUser?: number; stallMs?: number }) {
  const { server, open, id, base } = await rig(limits);
  const runAt = new Date(Date.now() + 3_600_000).toISOString();
  const message = MessageRequest.parse({ message: LARGE, runAt });
  for (let i = 0; i < 60; i++) await server.services.messages.send(ADMIN, id, message, null);
  const list = `${base}/runs?limit=200`;
  const openUnread = (first = list): Socket => {
    const socket = open(first);
    for (let i = 0; i < 9; i++) socket.write(requestOf(list));
    return socket;
  };
  return { server, list, openUnread };
}

test('[H9] a page of a list is at most 3 MiB, and counts as a stream until it was taken', async () => {
  const { server, list, openUnread } = await listRig({ perUser: 1 });
  const whole = await server.get(list);
  const text = await whole.text();
  expect(Number(whole.headers.get('content-length'))).toBe(Buffer.byteLength(text));
  expect(text.length).toBeLessThan(3 * 1024 * 1024);
  expect((JSON.parse(text) as { nextCursor: string | null }).nextCursor).not.toBe(null);
  // All requested at once: more than the user has slots.
  const socket = openUnread();
  let answers = '';
  socket.on('data', (data) => {
    answers += data.toString('latin1');
  });
  socket.resume();
  const statuses = (): string[] => answers.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  await until(() => statuses().length === 10);
  expect(new Set(statuses())).toEqual(new Set(['200', '429']));
  await until(async () => (await server.get(list)).status === 200);
});

test('[E4] [H9] a long list whose reader takes nothing is ended, too', async () => {
  const { server, openUnread } = await listRig({ stallMs: 300 });
  openUnread();
  await until(async () => (await server.sockets()) === 1);
  await until(async () => (await server.sockets()) === 0);
});

test('[E4] [H9] long lists behind a stream on one connection are ended, too, and release their slots', async () => {
  const { server, list, openUnread } = await listRig({ stallMs: 300, perUser: 3 });
  openUnread('/api/v1/events');
  await until(async () => (await server.sockets()) === 1);
  await until(async () => (await server.sockets()) === 0);
  for (let i = 0; i < 5; i++) {
    const answer = await server.get(list);
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
  }
});

test('[E4] [H9] short responses are ended, too, if they exceed what sockets buffer', async () => {
  const { url, sockets } = await streamRig({ limits: { stallMs: 300 } });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(requestOf('/sign-in/style.css').repeat(5000));
  await until(async () => (await sockets()) === 1);
  await until(async () => (await sockets()) === 0);
});

test('[E4] a slow reader gets a complete download, and the connection stays open for the next request', async () => {
  // Checked every 250 ms: on a machine so busy that each turn of the event loop takes as long as the
  // time between two checks, the reader would take too little in six turns to show any progress.
  const { open, exported, page } = await rig({ stallMs: 1500 });
  const socket = open(exported);
  let [bytes, tail] = [0, ''];
  socket.on('data', (data) => {
    bytes += data.length;
    tail = (tail + data.toString('latin1')).slice(-10);
    if (tail.endsWith('0\r\n\r\n')) return;
    socket.pause();
    setTimeout(() => socket.resume(), 15);
  });
  socket.resume();
  await until(() => tail.endsWith('0\r\n\r\n'), { ms: 50_000 });
  expect(bytes).toBeGreaterThan(60 * LARGE.length);
  tail = '';
  socket.write(requestOf(`${page}&limit=1`));
  await until(() => tail.endsWith('}'));
});
