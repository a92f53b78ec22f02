import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { appRig, TOKEN } from '../../../test/support/app-rig.ts';
import { StoreAuthenticator } from '../../access/store-authenticator.ts';
import { listen } from '../listen.ts';
import { requestAuthenticator } from '../request-authenticator.ts';

const PATH = '/api/v1/sessions/0190a1b2-0000-7000-8000-000000000000/messages';
const LARGE = 'Content-Length: 2000000';

/** A server at which each token is that of a user of the same name. */
async function rig(lookup: () => Promise<void> = async () => {}) {
  const authenticator = new StoreAuthenticator({ adminToken: TOKEN });
  authenticator.byToken = async (userId) => {
    await lookup();
    return { userId, role: 'operator', channel: 'api' };
  };
  const { app } = appRig({ auth: requestAuthenticator(authenticator) });
  const url = await listen(app, '127.0.0.1', 0);
  /** Begins a request, and sends nothing of its body but the first byte. */
  const begin = async (user: string, header = LARGE): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const asked = once(app.server, 'request');
    const type = 'Content-Type: application/json';
    const lines = [`POST ${PATH} HTTP/1.1`, 'Host: a.localhost', `Authorization: Bearer ${user}`];
    const first = header.startsWith('Content-Length') ? '{' : '1\r\n{\r\n';
    socket.write(`${[...lines, type, header].join('\r\n')}\r\n\r\n${first}`);
    await asked;
    return socket;
  };
  return { begin, app };
}

const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

test('[H9] a user has four large bodies under way; the next is refused until one has ended', async () => {
  const { begin } = await rig();
  const [first] = [await begin('a'), await begin('a'), await begin('a')];
  await begin('a', 'Transfer-Encoding: chunked');
  const refused = await answerOf(await begin('a'));
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  expect(refused).toMatch(/^retry-after: \d+\r$/m);
  expect(await answerOf(await begin('a', 'Transfer-Encoding: chunked'))).toMatch(/ 429 /);
  // Small bodies and other users are not concerned.
  const small = await begin('a', 'Content-Length: 2');
  small.write('}');
  expect(await answerOf(small)).toMatch(/ 400 /);
  await begin('b');
  first?.end(`${' '.repeat(1_999_998)}}`);
  first?.resume();
  await once(first as Socket, 'close');
  const next = await begin('a');
  next.write(`${' '.repeat(1_999_998)}}`);
  expect(await answerOf(next)).toMatch(/ 400 /);
});

test('[H9] a request whose client leaves during its authentication takes no slot', async () => {
  const lookup = Promise.withResolvers<void>();
  const { begin, app } = await rig(() => lookup.promise);
  for (let i = 0; i < 6; i++) {
    const left = once(app.server, 'request').then(([, response]) => once(response, 'close'));
    (await begin('a')).resetAndDestroy();
    await left;
  }
  lookup.resolve();
  const next = await begin('a');
  next.write(`${' '.repeat(1_999_998)}}`);
  expect(await answerOf(next)).toMatch(/ 400 /);
});

test('[H9] all users together have sixteen', async () => {
  const { begin } = await rig();
  for (const user of ['a', 'b', 'c', 'd']) {
    for (let i = 0; i < 4; i++) await begin(user);
  }
  const broken = await begin('e');
  expect(await answerOf(broken)).toMatch(/ 429 /);
});
