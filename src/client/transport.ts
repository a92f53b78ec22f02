import type { Operation } from './operation.ts';
import type { RequestInput } from './request.ts';

/**
 * A request for a stream from the reader's current position onwards, which for a log is `after` in
 * the query.
 */
export interface StreamRequest {
  readonly operation: Pick<Operation, 'method' | 'path'>;
  readonly input: RequestInput;
}

export interface TransportOptions {
  /** Closes the connection; anything that is waiting for it then throws the reason. */
  readonly signal: AbortSignal;
  /** Called when the server asks the client to wait this long before it reconnects. */
  readonly onRetry: (ms: number) => void;
}

/**
 * The JSON texts that the server sends on one connection; each batch contains those that arrived
 * together. An empty batch is a sign of life, such as a ping. Ends when the connection does, for
 * whatever reason.
 */
export type Connection = AsyncIterable<readonly string[]>;

/**
 * How a front end gets its streams: server-sent events (`sse.ts`) or WebSockets (`websocket.ts`).
 * Opens one connection; `listen.ts` decides when to open the next, so a transport neither retries
 * nor remembers a position. Resolves once the server has accepted the connection, or to null if the
 * server says that nothing more will come. Throws the server's coded error if it refuses, and any
 * other error if there is no connection.
 */
export type Transport = (
  request: StreamRequest,
  options: TransportOptions,
) => Promise<Connection | null>;
