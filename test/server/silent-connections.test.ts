import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Server, TOKEN } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

const OPEN_FILES = 300;
const SILENT = 2 * OPEN_FILES;

/** Opens connections that send nothing, and resolves when each was accepted or refused. */
async function openSilent(server: Server, count: number, addresses: number): Promise<Socket[]> {
  const { hostname, port } = new URL(server.url);
  const sockets = Array.from({ length: count }, (_, n) =>
    connect({ host: hostname, port: Number(port), localAddress: `127.0.0.${2 + (n % addresses)}` }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => {}).resume();
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }),
  );
  return sockets;
}

async function healthMs(server: Server): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${server.url}/healthz`, { headers: { connection: 'close' } });
  expect(answer.status).toBe(200);
  await answer.text();
  return performance.now() - began;
}

test('[H9] a connection that sends no request, or no more of one, is closed after 10 s', async () => {
  const server = await Server.start();
  const began = performance.now();
  const [silent, slow] = (await openSilent(server, 2, 1)) as [Socket, Socket];
  slow.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  await Promise.all([once(silent, 'close'), once(slow, 'close')]);
  expect(performance.now() - began).toBeGreaterThan(9000);
  expect(performance.now() - began).toBeLessThan(20_000);
}, 30_000);

test.runIf(process.platform === 'linux').each([
  ['one address', 1],
  ['two hundred addresses', 200],
])(
  '[H9] twice as many silent connections as file descriptors, from %s, stop neither the server nor its users',
  async (_, addresses) => {
    const server = await Server.start({ openFiles: OPEN_FILES });
    await openSilent(server, SILENT, addresses);
    const times = [await healthMs(server), await healthMs(server), await healthMs(server)];
    expect(Math.min(...times)).toBeLessThan(100);
    const { id } = await server.session('works');
    const run = await server.finished(await server.send(id, 'echo still here'));
    expect(run).toMatchObject({ state: 'succeeded', attempts: 1 });
    // The reports about the node, which open files themselves, continue.
    const loadAt = async () => {
      const nodes = await server.call<{ items: { load: { at: string } }[] }>(
        'GET',
        '/api/v1/nodes',
      );
      return nodes.items[0]?.load.at;
    };
    const before = await loadAt();
    await until(async () => (await loadAt()) !== before, { ms: 20_000, every: 100 });
    expect(await server.stop()).toBe(0);
  },
  60_000,
);

test.runIf(process.platform === 'linux')(
  '[H9] the connections of one user leave room for everyone else',
  async () => {
    const server = await Server.start({ openFiles: OPEN_FILES });
    const { id } = await server.session('watched');
    const stream = await server.fetch('GET', `/api/v1/sessions/${id}/events`);
    const request = `GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    const answered: Socket[] = [];
    for (let i = 0; i < 100; i++) {
      const [socket] = (await openSilent(server, 1, 1)) as [Socket];
      socket.write(request);
      await Promise.race([
        once(socket, 'data').then(() => answered.push(socket)),
        once(socket, 'close'),
      ]);
    }
    expect(answered).toHaveLength(100);
    expect(await healthMs(server)).toBeLessThan(5000);
    const open = answered.filter((socket) => !socket.closed);
    expect(open.length).toBeLessThan(OPEN_FILES / 4);
    expect(open).toContain(answered.at(-1));
    // The stream was silent for longer, but it is in use.
    await server.send(id, 'true');
    const reader = stream.body?.getReader();
    let text = '';
    while (!text.includes('run.')) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      text += Buffer.from(value as Uint8Array).toString();
    }
    expect(text).toContain('run.');
    await reader?.cancel();
  },
);
