import { z } from 'zod';
import type { Right } from '../access.ts';
import type { ErrorCode } from '../errors.ts';
import type { Level } from '../level.ts';

type Fields = z.ZodObject;

/**
 * One operation of the HTTP API, as data. Validation, types, the client, the OpenAPI document, the
 * docs page and the fuzz tests are all derived from it.
 */
export interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  Needs extends Right = Right,
  Reads extends boolean = boolean,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Contains `{name}` for each parameter in `params`. */
  readonly path: string;
  readonly summary: string;
  readonly group: string;
  readonly params: Params;
  readonly query: Query;
  /** `z.undefined()` for none. */
  readonly body: Body;
  readonly status: number;
  /** `z.undefined()` for none. */
  readonly answer: Answer;
  readonly format: 'json' | 'events' | 'ndjson' | 'text' | 'html';
  /** One item of an `events` or `ndjson` response. */
  readonly item?: z.ZodType;
  /** An example body for the documentation. */
  readonly example?: unknown;
  /** Error codes in addition to those that every operation can return. */
  readonly errors: readonly ErrorCode[];
  /** Reachable without a credential. */
  readonly open: boolean;
  /**
   * The response is the same for everyone and is opened in a browser tab, so the cookie alone is
   * enough (X4).
   */
  readonly page: boolean;
  /** The response is a file for browsers to save; a ticket in the query allows one download. */
  readonly download: boolean;
  /** The right that the credential needs. Default: `read` for GET, `run` for other methods. */
  readonly needs: Needs;
  /**
   * The response shows stored content, so the credential needs the right `read` in addition to
   * `needs`.
   */
  readonly reads: Reads;
  /**
   * The access to the session (or the run's session) that the caller needs; without it: 404. The
   * services decide this; the value is here for the documentation and the tests.
   */
  readonly level: Level;
  /**
   * The operation concerns something on the session's host: a request that arrives at another host
   * is forwarded to a node on the session's host (X7).
   */
  readonly hostBound: boolean;
  /** Accepts an `Idempotency-Key` header. */
  readonly idempotent: boolean;
  /** The largest body in bytes; 1 MiB by default. */
  readonly bodyMax?: number;
  /** The response has an `X-Next-Cursor` header. */
  readonly paged: boolean;
}

const none = z.strictObject({});
const nothing = z.undefined();
type None = typeof none;
type Nothing = typeof nothing;

type Method = Endpoint['method'];
type Format = Endpoint['format'];

type Given<
  P extends Fields,
  Q extends Fields,
  B extends z.ZodType,
  A extends z.ZodType,
  N extends Right,
  R extends boolean,
  M extends Method,
  F extends Format,
> = Pick<Endpoint, 'path' | 'summary' | 'group'> &
  Partial<
    Pick<
      Endpoint,
      | 'status'
      | 'item'
      | 'example'
      | 'errors'
      | 'open'
      | 'page'
      | 'download'
      | 'level'
      | 'hostBound'
      | 'idempotent'
      | 'paged'
      | 'bodyMax'
    >
  > & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly answer?: A;
    readonly needs?: N;
    readonly reads?: R;
    readonly method: M;
    readonly format?: F;
  };

export function endpoint<
  P extends Fields = None,
  Q extends Fields = None,
  B extends z.ZodType = Nothing,
  A extends z.ZodType = Nothing,
  M extends Method = Method,
  F extends Format = 'json',
  N extends Right = M extends 'GET' ? 'read' : 'run',
  const R extends boolean = F extends 'events' ? true : false,
>(given: Given<P, Q, B, A, N, R, M, F>): Endpoint<P, Q, B, A, N, R> {
  return {
    params: none as unknown as P,
    query: none as unknown as Q,
    body: nothing as unknown as B,
    answer: nothing as unknown as A,
    status: given.answer === undefined ? 204 : 200,
    format: 'json',
    errors: [],
    open: false,
    page: false,
    download: false,
    needs: (given.method === 'GET' ? 'read' : 'run') as N,
    reads: (given.format === 'events') as R,
    level: given.method === 'GET' ? 'view' : 'operate',
    hostBound: false,
    idempotent: false,
    paged: false,
    ...given,
  };
}

/** The parsed query of an endpoint, for the service that answers it. */
export type QueryOf<E extends Endpoint> = Readonly<z.output<E['query']>>;

/** A whole number in a query string. */
export const wholeIn = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const flagIn = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Opaque to clients. */
export const Cursor = z.string().min(1).max(500);
export const pageQuery = {
  limit: wholeIn(1, 200).optional().describe('Maximum number of items.'),
  cursor: Cursor.optional().describe('The cursor returned with the previous page.'),
};

export const page = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
