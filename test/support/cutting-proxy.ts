import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy that cuts each connection after the number of answer bytes that the test gives. */
export async function cuttingProxy(target: string, nextCut: () => number) {
  const port = Number(new URL(target).port);
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    const upstream = connect(port, '127.0.0.1');
    let left = nextCut();
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      if (bytes.length < left) {
        left -= bytes.length;
        client.write(bytes);
        return;
      }
      client.end(bytes.subarray(0, left));
      upstream.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as { port: number };
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${own}`,
    connections: () => connections,
    cutAll(): void {
      for (const socket of open) socket.destroy();
    },
  };
}
