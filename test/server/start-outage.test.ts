import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { casesOf } from '../support/depth.ts';
import { createDatabase } from '../support/postgres.ts';
import { Server } from '../support/server-rig.ts';

/** Longer than any retry that is not logged. */
const AWAY_MS = 3000;

/** A proxy to a database that closes for a while when it first sees `question`. */
async function fragileProxy(target: URL, question: string) {
  const open = new Set<Socket>();
  let closed = 0;
  const pass = (client: Socket): void => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        open.delete(socket);
      });
    }
    upstream.pipe(client);
    client.on('data', (bytes: Buffer) => {
      if (closed === 0 && bytes.includes(question)) goAway();
      else upstream.write(bytes);
    });
  };
  const server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const goAway = (): void => {
    closed++;
    server.close();
    for (const socket of open) socket.destroy();
    setTimeout(() => server.listen(port, '127.0.0.1'), AWAY_MS);
  };
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const url = Object.assign(new URL(target), { port: String(port) });
  return { url: url.href, closed: () => closed };
}

const MOMENTS = ['FROM settings', 'INTO settings', 'FROM nodes', 'INTO nodes'] as const;
for (const question of casesOf(MOMENTS, ['INTO settings', 'FROM nodes'])) {
  test(`[O5] a database that goes away in the middle of a start (${question}) is waited for`, async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const proxy = await fragileProxy(new URL(database.url), question);
    const server = await Server.start({ env: { BATON_DATABASE_URL: proxy.url } });
    expect(proxy.closed()).toBe(1);
    const session = await server.session('begun late');
    const run = await server.send(session.id, 'echo here');
    expect(await server.finished(run)).toMatchObject({ state: 'succeeded' });
    expect(await server.stop()).toBe(0);
  }, 120_000);
}
