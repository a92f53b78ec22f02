import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { streamRig, TOKEN } from '../../../test/support/stream-rig.ts';
import { until } from '../../../test/support/until.ts';
import { WsReader } from '../../../test/support/ws-reader.ts';

/** A frame of a client: final, a ping, masked with zeros. */
const PING = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]);

/** A frame of a client: final, an empty text, masked with zeros. */
const EMPTY = Buffer.from([0x81, 0x80, 0, 0, 0, 0]);

test('[E4] [H9] pings are answered, but a client that floods the server with them is dropped', async () => {
  // Nothing is dropped because it took too long.
  const rig = await streamRig({ limits: { endMs: 60_000 } });
  const path = `/ws/sessions/${await rig.session(1)}`;
  const polite = new WsReader(`${rig.url}${path}`, { authorization: `Bearer ${TOKEN}` });
  onTestFinished(() => polite.socket.terminate());
  await polite.open();
  const pong = once(polite.socket, 'pong');
  polite.socket.ping('are you there');
  expect(String((await pong)[0])).toBe('are you there');

  for (const frame of [PING, EMPTY]) await expectDropped(rig, path, frame);
});

/** An empty text is refused, so its client is about to be dropped anyway, but not soon enough. */
async function expectDropped(
  rig: Awaited<ReturnType<typeof streamRig>>,
  path: string,
  frame: Buffer,
) {
  const upgraded = once(rig.app.server, 'upgrade');
  const client = connect(Number(new URL(rig.url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void client.destroy());
  client.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const server = (await upgraded)[1] as Socket;
  await once(client, 'data');
  client.pause();
  const flood = Buffer.concat(Array.from({ length: 8000 }, () => frame));
  client.write(flood);
  await until(() => server.destroyed);
  expect(server.bytesRead).toBeLessThan(flood.length + 4096);
}
