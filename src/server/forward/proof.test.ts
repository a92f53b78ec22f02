import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { ADMIN_TOKEN } from '../../../test/support/authenticator-rig.ts';
import { forwardRig } from '../../../test/support/forward-rig.ts';
import { BatonError } from '../../contract/errors.ts';
import {
  type Claim,
  FORWARD_HEADER,
  forwardKeyOf,
  isProof,
  PROOF_HEADER,
  proofOf,
} from './credential.ts';

const CLAIM = { node: 'n', number: 'a number that is used once' };
const pathOf = (session: string): string => session.replace('/api/v1', '/ws').concat('/test');

/** The claim of a forwarded request, which anyone who receives it can read. */
function claimOf({ headers }: Pick<IncomingMessage, 'headers'>): Claim {
  const [, payload = ''] = String(headers[FORWARD_HEADER]).split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

/** Another server, at an address that a node once had. */
async function impostor(
  answer: RequestListener,
  upgrade?: (request: IncomingMessage, socket: Duplex) => void,
): Promise<string> {
  const server = createServer(answer);
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answerTo(url: string, headers: Record<string, string>, method = 'GET', body = '') {
  const sent = request(url, { method, headers }).end(body);
  return new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('error', reject).on('response', (answer) => resolve(answer.resume()));
    sent.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer);
    });
  });
}

test('[X7] a proof is valid for one number, node and key, and is not a credential', () => {
  const key = forwardKeyOf(randomBytes(32));
  const proof = proofOf(key, CLAIM);
  expect(isProof(key, CLAIM, proof)).toBe(true);
  const wrong = [
    isProof(key, { ...CLAIM, number: 'another number that is used' }, proof),
    isProof(key, { ...CLAIM, node: 'm' }, proof),
    isProof(forwardKeyOf(randomBytes(32)), CLAIM, proof),
    ...[undefined, '', 'x', proof.slice(1), `${proof}AAAA`, [proof]].map((given) =>
      isProof(key, CLAIM, given),
    ),
  ];
  expect(wrong).toEqual(wrong.map(() => false));
});

test('[X7] an answer without the proof of the expected node is not passed on', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  const artefact = `${rig.session('two')}/artefacts/a.txt`;
  const proofs = [
    () => null,
    () => 'x'.repeat(43),
    ({ number }: Claim) => proofOf(rig.key, { node: one.id, number }),
    ({ node }: Claim) => proofOf(rig.key, { node, number: 'of another request' }),
    (claim: Claim) => proofOf(forwardKeyOf(randomBytes(32)), claim),
  ];
  let asked = 0;
  for (const status of [200, 206, 404, 500]) {
    for (const proof of proofs) {
      const url = await impostor((request, response) => {
        asked++;
        const value = proof(claimOf(request));
        response.writeHead(status, {
          ...{ 'content-type': 'text/html', 'content-disposition': 'attachment; filename=a.html' },
          ...{ 'x-next-cursor': 'c' },
          ...(value === null ? {} : { [PROOF_HEADER]: value }),
        });
        response.end('<h1>Sign in</h1>');
      });
      await rig.node('two', { url });
      const answer = await one.ask('GET', artefact);
      expect([answer.status, String(proof)]).toEqual([503, String(proof)]);
      expect(await answer.json()).toMatchObject({ error: { code: 'host_away' } });
      for (const name of ['content-disposition', 'x-next-cursor', PROOF_HEADER]) {
        expect(answer.headers.get(name)).toBeNull();
      }
    }
  }
  expect(asked).toBeGreaterThanOrEqual(20);
  // The next node of the host is asked instead.
  const two = await rig.node('two');
  await rig.node('two', { url: await impostor((_, response) => response.end('no')) });
  const answer = await one.ask('GET', artefact);
  expect([await answer.text(), answer.headers.get(PROOF_HEADER)]).toEqual(['from two', null]);
  expect(two.heard).toHaveLength(1);
});

test('[X7] a switch of protocols that was not asked for is refused, even with a proof', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  const url = await impostor((request) => {
    const proof = proofOf(rig.key, claimOf(request));
    const lines = ['HTTP/1.1 101 x', 'Connection: Upgrade', 'Upgrade: x', 'Content-Type: text/x'];
    request.socket.write([...lines, `${PROOF_HEADER}: ${proof}`, '', 'free text'].join('\r\n'));
  });
  await rig.node('two', { url });
  const path = `${rig.session('two')}/artefacts/a.txt`;
  const answer = await answerTo(`${one.url}${path}`, { authorization: `Bearer ${ADMIN_TOKEN}` });
  expect(answer.statusCode).toBe(503);
});

test('[X7] a WebSocket is not connected to a server without the proof, nor is its refusal passed on', async () => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  let opened = 0;
  const accepting = new WebSocketServer({ noServer: true });
  const accept = (request: IncomingMessage, socket: Duplex) =>
    accepting.handleUpgrade(request, socket, Buffer.alloc(0), () => opened++);
  const refuse = (_: IncomingMessage, socket: Duplex) =>
    socket.end('HTTP/1.1 403 x\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno');
  for (const upgrade of [accept, refuse]) {
    await rig.node('two', { url: await impostor((_, response) => response.end(), upgrade) });
    const socket = new WebSocket(`${one.url.replace('http', 'ws')}${pathOf(rig.session('two'))}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    socket.on('error', () => {});
    const [, answer] = await Promise.race([
      once(socket, 'unexpected-response'),
      once(socket, 'open').then(() => {
        socket.terminate();
        throw new Error('It was connected.');
      }),
    ]);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      503,
      'application/json; charset=utf-8',
    ]);
    answer.resume();
  }
  expect(opened).toBeGreaterThan(0);
});

test.each([
  ['breaks off', 1],
  ['is endless', 100_000],
])('[X7] the refusal of a WebSocket that %s is host_away', async (_, length) => {
  const rig = await forwardRig();
  const one = await rig.node('one');
  const refuse = (request: IncomingMessage, socket: Duplex) => {
    const lines = ['HTTP/1.1 403 x', `${PROOF_HEADER}: ${proofOf(rig.key, claimOf(request))}`];
    socket.on('error', () => {});
    socket.end([...lines, 'Content-Length: 200000', '', 'x'.repeat(length)].join('\r\n'));
  };
  await rig.node('two', { url: await impostor((_, response) => response.end(), refuse) });
  const socket = new WebSocket(`${one.url.replace('http', 'ws')}${pathOf(rig.session('two'))}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  expect(answer.statusCode).toBe(503);
  answer.resume();
});

test('[X7] a node proves itself on every answer to a forwarded request, and on no other', async () => {
  const rig = await forwardRig();
  const failing = () => {
    throw new BatonError('not_found');
  };
  const [two, empty] = [await rig.node('two'), await rig.node('two', { artefact: failing })];
  const closed = await rig.node('two', { refuses: true });
  const session = rig.session('two');
  const artefact = `${session}/artefacts/a.txt`;
  const [echo, socket] = [`${session}/echo`, pathOf(session)];
  const json = { 'content-type': 'application/json' };
  const handshake = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  const viewer = await rig.people.user('hanako', 'viewer');
  const { id: token } = await rig.people.token(viewer.id);
  const hers = { userId: viewer.id, credential: `token:${token}` };
  const number = 'a number that is used once, not twice';
  const cases = [
    { status: 200, url: artefact },
    { status: 200, url: artefact, method: 'HEAD' },
    { status: 404, url: artefact, to: empty },
    { status: 200, url: echo, method: 'POST', body: '{"text":"a"}', headers: json },
    { status: 400, url: echo, method: 'POST', body: '{}', headers: json },
    { status: 400, url: echo, method: 'POST', body: '{', headers: json },
    { status: 415, url: echo, method: 'POST', body: 'a', headers: { 'content-type': 'text/x' } },
    { status: 413, url: echo, method: 'POST', body: `"${'x'.repeat(2 ** 21)}"`, headers: json },
    { status: 403, url: echo, method: 'POST', body: '{"text":"a"}', headers: json, claim: hers },
    { status: 421, url: '/api/v1/me' },
    { status: 421, url: '/nowhere' },
    { status: 200, url: artefact, claim: { number } },
    { status: 401, url: artefact, claim: { number } },
    { status: 401, url: artefact, claim: { credential: 'token:none' } },
    { status: 101, url: socket, headers: handshake },
    { status: 409, url: socket, headers: handshake, to: closed },
    { status: 421, url: '/ws/events', headers: handshake },
    { status: 403, url: socket, headers: handshake, claim: hers },
    { status: 400, url: socket, headers: { ...handshake, 'sec-websocket-version': '7' } },
    { status: 400, url: socket, headers: { ...handshake, 'sec-websocket-key': 'short' } },
  ];
  for (const { status, url, method = 'GET', body = '', headers = {}, to = two, claim } of cases) {
    const credential = await rig.credential(to, { method, url }, { body, ...claim });
    const answer = await answerTo(`${to.url}${url}`, { ...headers, ...credential }, method, body);
    const given = claimOf({ headers: credential });
    expect([answer.statusCode, isProof(rig.key, given, answer.headers[PROOF_HEADER]), url]).toEqual(
      [status, true, url],
    );
  }
  // Neither a caller nor a node that expected another one gets a proof.
  const asAdmin = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const line = { method: 'GET', url: artefact };
  const others = [
    await answerTo(`${two.url}${artefact}`, asAdmin),
    await answerTo(`${two.url}${artefact}`, { [FORWARD_HEADER]: 'v1.e30.AAAA' }),
    await answerTo(`${two.url}${artefact}`, await rig.credential(empty, line)),
    await answerTo(`${two.url}${socket}`, { ...handshake, ...asAdmin }),
  ];
  expect(others.map(({ statusCode, headers }) => [statusCode, headers[PROOF_HEADER]])).toEqual([
    [200, undefined],
    [401, undefined],
    [401, undefined],
    [101, undefined],
  ]);
});
