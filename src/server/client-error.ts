import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BatonError } from '../contract/errors.ts';
import { envelope } from './errors.ts';
import { STATUS_CODES } from './status-codes.ts';

/** A connection closed with bytes unread is reset, and its answer may be lost with it. */
const LINGER_MS = 500;

/** What cannot be read as HTTP never becomes a request; its answer has the shape of other errors. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The rest of what was refused is as unreadable.
  if (error.code === 'ECONNRESET' || socket.destroyed || socket.writableEnded) return;
  if (!socket.writable || answers(socket)) {
    socket.destroy();
    return;
  }
  endWith(socket, answerTo(error));
}

/** Writes the last answer of a connection; one whose other end stays open is not kept for that. */
export function endWith(socket: Duplex, answer: string): void {
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer)).once('end', () => socket.destroy());
  // The end is only seen by who reads up to it.
  socket.resume();
}

/** An answer is on its way over this connection, and another must not be written into it. */
function answers(socket: Socket): boolean {
  const { _httpMessage } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  return _httpMessage?.headersSent === true;
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  const refusal = refusalOf(code);
  const body = JSON.stringify(envelope(refusal, crypto.randomUUID()));
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function refusalOf(code: string | undefined): BatonError {
  if (code === 'HPE_HEADER_OVERFLOW') return new BatonError('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new BatonError('request_timeout');
  return new BatonError('invalid_request', 'This is not a request of HTTP.');
}
