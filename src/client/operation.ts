import type { Endpoint } from '../contract/api/endpoint.ts';
import type { EndpointName } from '../contract/api/endpoints.ts';
import type { SessionEvent, SessionHint } from '../contract/session-event.ts';

/** The parts of an endpoint that a call needs. */
export interface Operation extends Pick<Endpoint, 'method' | 'path' | 'format'> {
  /** Whether the response has no body. */
  readonly isEmpty: boolean;
}

/** The operations, and the readers of their responses. Each reader throws if it cannot read the value. */
export interface Contract {
  readonly operations: Readonly<Record<EndpointName, Operation>>;
  readonly answer: (name: EndpointName, value: unknown) => unknown;
  readonly event: (value: unknown) => SessionEvent;
  readonly hint: (value: unknown) => SessionHint;
}
