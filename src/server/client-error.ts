import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { BatonError } from '../contract/errors.ts';
import { envelope } from './errors.ts';

/** What cannot be read as HTTP never becomes a request; it gets the shape of other errors all the same. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable && !answers(socket)) socket.write(answerTo(error));
  socket.destroy();
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
