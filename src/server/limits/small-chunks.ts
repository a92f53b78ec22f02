import type { IncomingMessage, ServerResponse } from 'node:http';

/** Fewer pieces of a body than this may have any size. */
const CHUNKS_MIN = 1000;
/** The least average size of more pieces. Clients send thousands of bytes at a time. */
const BYTES_MIN = 256;
/** A connection that is closed with bytes unread is reset, and its answer may be lost. */
const LINGER_MS = 500;

/**
 * Ends the connection of a request that sends its body in tiny pieces, or continues to send one after
 * the answer. Only bodies in chunks (`Transfer-Encoding`) can: each costs a callback and an object, and
 * thousands of them arrive before anything else gets a turn.
 */
export function limitChunks(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  const { socket } = request;
  const push = request.push.bind(request);
  let [chunks, bytes] = [0, 0];
  // Not a listener for `data`, which would begin to read the body.
  request.push = (chunk: Buffer | null, ...rest) => {
    chunks += 1;
    bytes += chunk?.length ?? 0;
    if (chunks > CHUNKS_MIN && bytes < chunks * BYTES_MIN) socket.destroy();
    return push(chunk, ...rest);
  };
  response.once('finish', () => {
    if (request.complete) return;
    socket.pause();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
