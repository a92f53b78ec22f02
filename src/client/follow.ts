import { BatonError } from '../contract/errors.ts';
import { typeOf } from '../contract/events/type-of.ts';
import type { SessionEvent, SessionHint } from '../contract/session-event.ts';
import { listen, type StreamOptions } from './listen.ts';
import type { Contract, Operation } from './operation.ts';
import type { ClientOptions } from './request.ts';
import type { StreamRequest } from './transport.ts';

export interface FollowOptions extends StreamOptions {
  /** The last seq already seen; 0 starts at the beginning. */
  readonly after?: number;
}

/** A session's events: first the stored ones, then new ones, in order and each exactly once. */
export function followSession(
  client: ClientOptions,
  contract: Contract,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, void> {
  const { sessionEvents } = contract.operations;
  return follow(client, sessionEvents, contract.event, id, options, () => false);
}

/** A run's events; ends after the run's `done`. */
export function followRun(
  client: ClientOptions,
  contract: Contract,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, void> {
  const { runEvents } = contract.operations;
  return follow(client, runEvents, contract.event, id, options, isDone);
}

const isDone = (event: SessionEvent): boolean => typeOf(event) === 'done';

/** Hints about changed sessions. Starts with `all`, and repeats it whenever hints may have been missed. */
export async function* hints(
  client: ClientOptions,
  { operations, hint }: Contract,
  options: StreamOptions = {},
): AsyncGenerator<SessionHint, void, void> {
  const next = (): StreamRequest => ({ operation: operations.hints, input: {} });
  for await (const texts of listen(client, next, options)) {
    if (texts.length === 0) yield { all: true };
    for (const text of texts) yield parse(text, hint);
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
  const next = (): StreamRequest => ({
    operation,
    input: { params: { id }, query: { after: last } },
  });
  for await (const texts of listen(client, next, options)) {
    if (texts.length === 0) before = 0;
    for (const text of texts) {
      const event = parse(text, read);
      if (event.seq <= before) {
        throw new BatonError(
          'bad_answer',
          `The stream jumped back from ${before} to ${event.seq}.`,
        );
      }
      before = event.seq;
      // The reader has already seen this event on the previous connection.
      if (event.seq <= last) continue;
      last = event.seq;
      yield event;
      if (isLast(event)) return;
    }
  }
}

function parse<T>(text: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    throw new BatonError('bad_answer', undefined, { cause: error });
  }
}
