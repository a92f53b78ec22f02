import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { peopleOf } from '../../test/support/authenticator-rig.ts';
import { ADMIN } from '../../test/support/stream-rig.ts';
import { createClient } from './client.ts';
import { eventText, transportSuite } from './conformance/transport.ts';

/** A server that sends what the test says on each connection, and then nothing. */
async function scripted(script: (response: ServerResponse, connection: number) => void) {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    script(response, ++connections);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return createClient({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
}

const frame = (seq: number): string => `id: ${seq}\nevent: a.b\ndata: ${eventText(seq)}\n\n`;

transportSuite({
  handshakeBytes: 0,
  connections: 1,
  async signIn(rig) {
    const people = peopleOf(rig.store);
    const { id, token } = await people.token(ADMIN.userId);
    return {
      client: (url) => createClient({ url, token }),
      stranger: (url) => createClient({ url, token: 'another' }),
      revoke: () => rig.store.revokeToken(id),
    };
  },
  scripted: (play) =>
    scripted((response, n) =>
      play(
        {
          event: (seq) => response.write(frame(seq)),
          ping: () => response.write(': ping\n\n'),
          end: () => response.end(),
          onClose: (then) => response.on('close', then),
        },
        n,
      ),
    ),
});

test('waits at least as long as the server asks', async () => {
  const at: number[] = [];
  const client = await scripted((response, n) => {
    at.push(performance.now());
    response.end(n === 1 ? 'retry: 300\n\n' : frame(1));
  });
  const events = client.followSession('s', { random: () => 0 });
  expect((await events.next()).value).toMatchObject({ seq: 1 });
  // Timers may be late, never early (a millisecond of rounding aside).
  expect((at[1] as number) - (at[0] as number)).toBeGreaterThan(298);
  await events.return();
});

test('an answer that is not a stream is an error', async () => {
  const client = createClient({
    url: 'http://127.0.0.1:1',
    fetch: async () => new Response('Sign in', { headers: { 'content-type': 'text/html' } }),
  });
  await expect(client.followSession('s').next()).rejects.toMatchObject({ code: 'bad_answer' });
});
