import { BatonError } from '../contract/errors.ts';
import type { SessionEvent, SessionHint } from '../contract/session-event.ts';
import { listen, type StreamOptions } from './listen.ts';
import type { Contract, Operation } from './operation.ts';
import { type ClientOptions, request } from './request.ts';

export interface FollowOptions extends StreamOptions {
  /** The last seq already seen; 0 starts at the beginning. */
  readonly after?: number;
}

/** The events of a session: stored ones, then new ones, in order and each exactly once. */
export function followSession(
  client: ClientOptions,
  contract: Contract,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, void> {
  const { sessionEvents } = contract.operations;
  return follow(client, sessionEvents, contract.event, id, options, () => false);
}

/** The events of a run; ends after its `done`. */
export function followRun(
  client: ClientOptions,
  contract: Contract,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, void> {
  const { runEvents } = contract.operations;
  return follow(client, runEvents, contract.event, id, options, ({ type }) => type === 'done');
}

/** Hints about changed sessions. Starts with `all`, and repeats it whenever hints may have been missed. */
export async function* hints(
  client: ClientOptions,
  { operations, hint }: Contract,
  options: StreamOptions = {},
): AsyncGenerator<SessionHint, void, void> {
  const open = (signal: AbortSignal): Promise<Response> =>
    request(client, operations.hints, {}, { signal });
  for await (const messages of listen(client.url, open, options)) {
    if (messages.length === 0) yield { all: true };
    for (const { data } of messages) yield parse(data, hint);
  }
}

async function* follow(
  client: ClientOptions,
  operation: Operation,
  read: Contract['event'],
  id: string,
  options: FollowOptions,
  isLast: (event: SessionEvent) => boolean,
): AsyncGenerator<SessionEvent, void, void> {
  let last = options.after ?? 0;
  /** The last seq on this connection. */
  let before = 0;
  const open = (signal: AbortSignal): Promise<Response> =>
    request(client, operation, { params: { id }, query: { after: last } }, { signal });
  for await (const messages of listen(client.url, open, options)) {
    if (messages.length === 0) before = 0;
    for (const { data } of messages) {
      const event = parse(data, read);
      if (event.seq <= before) {
        throw new BatonError(
          'bad_answer',
          `The stream jumped back from ${before} to ${event.seq}.`,
        );
      }
      before = event.seq;
      // Already seen on the previous connection.
      if (event.seq <= last) continue;
      last = event.seq;
      yield event;
      if (isLast(event)) return;
    }
  }
}

function parse<T>(data: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(data));
  } catch (error) {
    throw new BatonError('bad_answer', undefined, { cause: error });
  }
}
