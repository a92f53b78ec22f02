import type { Endpoint } from '../contract/api/endpoint.ts';
import type { EndpointName } from '../contract/api/endpoints.ts';
import type { SessionEvent, SessionHint } from '../contract/session-event.ts';

/** What a call must know of an operation. */
export interface Operation extends Pick<Endpoint, 'method' | 'path' | 'format'> {
  /** Nothing comes back but that it was done. */
  readonly isEmpty: boolean;
}

/** The operations, and how what comes back is read: each throws what it cannot read. */
export interface Contract {
  readonly operations: Readonly<Record<EndpointName, Operation>>;
  readonly answer: (name: EndpointName, value: unknown) => unknown;
  readonly event: (value: unknown) => SessionEvent;
  readonly hint: (value: unknown) => SessionHint;
}
