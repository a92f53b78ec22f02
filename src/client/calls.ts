import type { z } from 'zod';
import type { Endpoint } from '../contract/api/endpoint.ts';
import type { EndpointName, endpoints } from '../contract/api/endpoints.ts';
import { BatonError } from '../contract/errors.ts';
import type { SessionEvent, SessionHint } from '../contract/session-event.ts';
import { type FollowOptions, followRun, followSession, hints } from './follow.ts';
import type { StreamOptions } from './listen.ts';
import type { Contract } from './operation.ts';
import {
  asUnreachable,
  type CallOptions,
  type ClientOptions,
  type RequestInput,
  request,
} from './request.ts';

/** A part of a call's input. The part is optional if all of its fields are. */
type Part<Name extends string, Value> = Value extends undefined
  ? unknown
  : Record<string, never> extends Value
    ? { readonly [N in Name]?: Value }
    : { readonly [N in Name]: Value };

type Input<E extends Endpoint> = Part<'params', z.output<E['params']>> &
  Part<'query', z.output<E['query']>> &
  Part<'body', z.input<E['body']>>;

/** A plain list also becomes a page; its cursor comes from a response header. */
export type Answer<E extends Endpoint> =
  z.output<E['answer']> extends readonly (infer Item)[]
    ? { items: Item[]; nextCursor: string | null }
    : z.output<E['answer']>;

type Call<E extends Endpoint> =
  Record<string, never> extends Input<E>
    ? (input?: Input<E>, options?: CallOptions) => Promise<Answer<E>>
    : (input: Input<E>, options?: CallOptions) => Promise<Answer<E>>;

type Calls = { readonly [Name in Exclude<EndpointName, 'hints'>]: Call<(typeof endpoints)[Name]> };

/**
 * The API of a Baton server: one method per operation, and streams that reconnect automatically.
 * `sessionEvents` and `runEvents` return pages of stored events. Errors are `BatonError`s.
 */
export interface Client extends Calls {
  followSession(id: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void, void>;
  followRun(id: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void, void>;
  hints(options?: StreamOptions): AsyncGenerator<SessionHint, void, void>;
}

/** Creates a client for a contract with schemas (`createClient`) or without them (the web app). */
export function clientOf(options: ClientOptions, contract: Contract): Client {
  const names = Object.keys(contract.operations) as EndpointName[];
  const calls = names
    .filter((name) => name !== 'hints')
    .map((name) => [
      name,
      (input: RequestInput = {}, call: CallOptions = {}) =>
        send(options, contract, name, input, call),
    ]);
  return {
    ...(Object.fromEntries(calls) as unknown as Calls),
    followSession: (id, follow) => followSession(options, contract, id, follow),
    followRun: (id, follow) => followRun(options, contract, id, follow),
    hints: (stream) => hints(options, contract, stream),
  };
}

async function send(
  client: ClientOptions,
  { operations, answer }: Contract,
  name: EndpointName,
  input: RequestInput,
  options: CallOptions,
): Promise<unknown> {
  const operation = operations[name];
  const isEvents = operation.format === 'events';
  const pageInput = isEvents ? { ...input, query: { ...input.query, follow: false } } : input;
  const response = await request(client, operation, pageInput, options);
  const isText = !isEvents && operation.format !== 'json';
  const text = await response.text().catch((error: unknown) => {
    throw asUnreachable(error, client.url, options.signal);
  });
  if (isText) return text;
  if (operation.isEmpty) return undefined;
  const answered = parse(text, (value) => answer(name, value));
  return Array.isArray(answered)
    ? { items: answered, nextCursor: response.headers.get('x-next-cursor') }
    : answered;
}

function parse(text: string, read: (value: unknown) => unknown): unknown {
  try {
    return read(JSON.parse(text));
  } catch (error) {
    throw new BatonError('bad_answer', undefined, { cause: error });
  }
}
