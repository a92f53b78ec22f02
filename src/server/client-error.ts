import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BatonError } from '../contract/errors.ts';
import { envelope } from './errors.ts';
import { STATUS_CODES } from './status-codes.ts';

/** A connection that is closed with bytes unread is reset, and its response may be lost. */
const LINGER_MS = 500;

/**
 * Sends an error in the usual shape for input that cannot be parsed as HTTP. Such input never
 * becomes a request.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The rest of a refused request cannot be parsed either.
  if (error.code === 'ECONNRESET' || socket.destroyed || socket.writableEnded) return;
  if (!socket.writable || answers(socket)) {
    socket.destroy();
    return;
  }
  endWith(socket, answerTo(error));
}

/** Writes the last response on a connection, and closes it even if the other end stays open. */
export function endWith(socket: Duplex, answer: string): void {
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer)).once('end', () => socket.destroy());
  // The `end` event fires only after all data has been read.
  socket.resume();
}

/** Whether a response is being sent on this connection; if so, no other response may be written. */
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
  return new BatonError('invalid_request', 'This is not a valid HTTP request.');
}
