import type { IncomingMessage } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import type { Principal } from '../../access/principal.ts';
import { hostAway } from '../../sessions/host-service.ts';
import type { HostRef } from '../../sessions/host-store.ts';
import { endWith } from '../client-error.ts';
import { whenClosed } from '../limits/when-closed.ts';
import { STATUS_CODES } from '../status-codes.ts';
import { EMPTY } from './forwarded-body.ts';
import type { Forwarder } from './forwarder.ts';

/** The response headers that are passed on to the caller, on acceptance and on refusal. */
const PASSED = [
  'connection',
  'upgrade',
  'sec-websocket-accept',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
];
const PASSED_REFUSAL = ['content-type', 'retry-after'];
/** The maximum size of a refusal, which is an error in the usual shape. */
const REFUSAL_MAX = 64 * 1024;

/** An upgrade request, with its connection. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * Connects a caller's WebSocket to the destination. Bytes pass unchanged in both directions, as
 * fast as the slower end takes them. When one end closes, so does the other.
 */
export async function tunnel(
  forwarder: Forwarder,
  host: HostRef,
  by: Principal,
  { request, socket, head }: UpgradeRequest,
): Promise<void> {
  const { url = '', headers } = request;
  const left = new AbortController();
  whenClosed(socket, () => left.abort());
  const asked = { method: 'GET', url, headers, body: EMPTY, by, signal: left.signal };
  const { answer, upgraded } = await forwarder.forward(host, { ...asked, upgrade: true });
  if (upgraded === null) {
    const refusal = await refusalOf(answer).catch((error: unknown) => {
      throw hostAway(host, 'node responded completely', error);
    });
    endWith(socket, refusal);
    return;
  }
  const ended = (): void => {};
  socket.write(headOf(answer, PASSED));
  socket.write(upgraded.head);
  upgraded.socket.write(head);
  // There and back in one pipeline: two would have more listeners than Node accepts without a
  // warning.
  pipeline(upgraded.socket, socket, upgraded.socket, ended);
}

/** Rejects if the response breaks off or is too long. */
async function refusalOf(answer: IncomingMessage): Promise<string> {
  let body = EMPTY;
  for await (const piece of answer) {
    body = Buffer.concat([body, piece as Buffer]);
    if (body.length > REFUSAL_MAX) answer.destroy();
  }
  const lengths = `Content-Length: ${body.length}\r\nConnection: close\r\n`;
  return `${headOf(answer, PASSED_REFUSAL, lengths)}${body}`;
}

function headOf(
  { statusCode = 502, headers }: IncomingMessage,
  names: string[],
  more = '',
): string {
  const lines = names.flatMap((name) =>
    headers[name] === undefined ? [] : [`${name}: ${headers[name]}\r\n`],
  );
  return `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\n${lines.join('')}${more}\r\n`;
}
