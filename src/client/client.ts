import { endpoints } from '../contract/api/endpoints.ts';
import { operations } from '../contract/api/operations.ts';
import { SessionEvent, SessionHint } from '../contract/session-event.ts';
import { type Client, clientOf } from './calls.ts';
import type { ClientOptions } from './request.ts';

export type { Answer, Client } from './calls.ts';

/** A client that validates every response with the schemas of the contract. */
export const createClient = (options: ClientOptions): Client =>
  clientOf(options, {
    operations,
    answer: (name, value) => endpoints[name].answer.parse(value),
    event: (value) => SessionEvent.parse(value),
    hint: (value) => SessionHint.parse(value),
  });
