import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { streamRig } from '../../test/support/stream-rig.ts';
import { until } from '../../test/support/until.ts';
import { ErrorAnswer } from '../contract/api/error-answer.ts';
import { listen } from './listen.ts';

/** Everything the server answers to these bytes before it closes the connection. */
async function send(...pieces: string[]): Promise<string> {
  const url = new URL(await listen(appRig().app, '127.0.0.1', 0));
  const socket = connect(Number(url.port), url.hostname).setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  for (const piece of pieces) socket.write(piece);
  return text(socket);
}

const bodyOf = (answer: string) => ErrorAnswer.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''));

test('[H9] endless headers are refused with an error in the usual shape', async () => {
  const answer = await send(`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(bodyOf(answer).error).toMatchObject({ code: 'headers_too_large', status: 431 });
});

test.each([
  ['text', 'hello\r\n\r\n'],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n'],
])('[H9] %s is refused with an error in the usual shape', async (_, bytes) => {
  const answer = await send(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(bodyOf(answer).error).toMatchObject({ code: 'invalid_request', status: 400 });
});

test('[H9] a client that is still sending a too large body reads the refusal, and its connection stays open', async () => {
  const url = new URL(await listen(appRig().app, '127.0.0.1', 0));
  const socket = connect(Number(url.port), url.hostname).setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (piece: string) => {
    heard += piece;
  });
  const length = 5 * 1024 * 1024;
  socket.write(
    `POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
  await until(() => heard.startsWith('HTTP/1.1 413 '));
  socket.write(
    `${'x'.repeat(length)}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  await once(socket, 'close');
  expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});

test('garbage after a request does not corrupt its response', async () => {
  const answer = await send(
    `GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\nrubbish\r\n\r\n`,
  );
  // Either the complete response, or the refusal if it came first; never one inside the other.
  expect(answer.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(2);
  const [status] = /^HTTP\/1\.1 (200|400) /.exec(answer) ?? [];
  expect(status).toBeDefined();
});

test('[X1] a refused upgrade does not keep its connection, even if the client keeps its end open', async () => {
  const rig = await streamRig();
  const port = Number(new URL(rig.url).port);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(
    'GET /ws/sessions/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  await once(socket, 'end');
  const open = () =>
    new Promise<number>((resolve) => rig.app.server.getConnections((_, count) => resolve(count)));
  await until(async () => (await open()) === 0);
});
