import type { z } from 'zod';
import { streamEndpoints } from '../contract/api/streams.ts';
import { BatonError } from '../contract/errors.ts';
import { SessionEvent, SessionHint } from '../contract/session-event.ts';
import { listen, type StreamOptions } from './listen.ts';
import { type ClientOptions, request } from './request.ts';

export interface FollowOptions extends StreamOptions {
  /** The last seq already seen; 0 is from the beginning. */
  readonly after?: number;
}

/** The events of a session: what is stored, then what comes, in order and each once. */
export function followSession(
  client: ClientOptions,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, void> {
  return follow(client, streamEndpoints.sessionEvents, id, options, () => false);
}

/** The events of a run; ends behind its `done`. */
export function followRun(
  client: ClientOptions,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<SessionEvent, void, void> {
  const { runEvents } = streamEndpoints;
  return follow(client, runEvents, id, options, ({ type }) => type === 'done');
}

/** Which sessions changed. Begins with `all`, and gives it again whenever some may have been missed. */
export async function* hints(
  client: ClientOptions,
  options: StreamOptions = {},
): AsyncGenerator<SessionHint, void, void> {
  const open = (signal: AbortSignal): Promise<Response> =>
    request(client, streamEndpoints.hints, {}, { signal });
  for await (const messages of listen(client.url, open, options)) {
    if (messages.length === 0) yield { all: true };
    for (const { data } of messages) yield parse(SessionHint, data);
  }
}

async function* follow(
  client: ClientOptions,
  endpoint: typeof streamEndpoints.sessionEvents | typeof streamEndpoints.runEvents,
  id: string,
  options: FollowOptions,
  isLast: (event: SessionEvent) => boolean,
): AsyncGenerator<SessionEvent, void, void> {
  let last = options.after ?? 0;
  /** Of this connection. */
  let before = 0;
  const open = (signal: AbortSignal): Promise<Response> =>
    request(client, endpoint, { params: { id }, query: { after: last } }, { signal });
  for await (const messages of listen(client.url, open, options)) {
    if (messages.length === 0) before = 0;
    for (const { data } of messages) {
      const event = parse(SessionEvent, data);
      if (event.seq <= before) {
        throw new BatonError('bad_answer', `The stream went back from ${before} to ${event.seq}.`);
      }
      before = event.seq;
      // Seen on the connection before.
      if (event.seq <= last) continue;
      last = event.seq;
      yield event;
      if (isLast(event)) return;
    }
  }
}

function parse<T extends z.ZodType>(schema: T, data: string): z.output<T> {
  try {
    return schema.parse(JSON.parse(data));
  } catch (error) {
    throw new BatonError('bad_answer', undefined, { cause: error });
  }
}
