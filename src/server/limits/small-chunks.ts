import type { IncomingMessage, ServerResponse } from 'node:http';

/** Up to this many pieces of a body may be of any size. */
const CHUNKS_MIN = 1000;
/**
 * The minimum average size of a body's pieces if there are more than CHUNKS_MIN. Clients send
 * thousands of bytes at a time.
 */
const BYTES_MIN = 256;
/** A connection that is closed with bytes unread is reset, and its response may be lost. */
const LINGER_MS = 500;

/**
 * Closes the connection of a request whose body arrives in tiny pieces, or is still arriving after
 * the response. This concerns only chunked bodies (`Transfer-Encoding`): each chunk costs a
 * callback and an object, and thousands of them arrive before anything else can run.
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
