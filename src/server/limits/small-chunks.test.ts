import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { limitChunks } from './small-chunks.ts';

/** A server that reads bodies of `/read`, and answers all other requests at once. */
async function rig(path: string) {
  let size = 0;
  const read = async (request: IncomingMessage): Promise<void> => {
    for await (const chunk of request) size += (chunk as Buffer).length;
  };
  const server = createServer((request, response) => {
    limitChunks(request, response);
    if (request.url === '/read')
      read(request).then(
        () => response.end(),
        () => {},
      );
    else response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (data) => {
    answer += String(data);
  });
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;
  return { socket, chunk, size: () => size, answer: () => answer };
}

test('[H9] a body in tiny pieces ends its connection', async () => {
  const { socket, chunk, size } = await rig('/read');
  socket.write(chunk(1).repeat(100_000));
  await until(() => socket.closed);
  expect(size()).toBeLessThan(50_000);
});

test('[H9] a body in ordinary pieces, or in few small ones, is read', async () => {
  const { socket, chunk, size, answer } = await rig('/read');
  socket.write(`${chunk(1).repeat(500)}${chunk(1000).repeat(2000)}0\r\n\r\n`);
  await until(() => answer().startsWith('HTTP/1.1 200'));
  expect(size()).toBe(2_000_500);
});

test('[H9] what is sent after the answer is not read, and the connection ends', async () => {
  const { socket, chunk, answer } = await rig('/refused');
  socket.write(chunk(1));
  await until(() => answer().startsWith('HTTP/1.1 401'));
  await until(() => socket.closed);
});
