import { z } from 'zod';
import type { Right } from '../access.ts';
import type { ErrorCode } from '../errors.ts';
import type { Level } from '../level.ts';

type Fields = z.ZodObject;

/**
 * One operation of the HTTP API, as data. Validation, types, the client, the OpenAPI document, the
 * docs page and the fuzz tests are all made from it.
 */
export interface Endpoint<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for each of `params`. */
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
  /** `json` unless it is something else. */
  readonly format: 'json' | 'events' | 'ndjson' | 'text' | 'html';
  /** Of `events` and `ndjson`: what one of them is. */
  readonly item?: z.ZodType;
  /** A body to show to people. */
  readonly example?: unknown;
  /** Codes beyond those every operation may answer. */
  readonly errors: readonly ErrorCode[];
  /** Reachable without a credential. */
  readonly open: boolean;
  /** The same for everyone, to be read in a browser's tab: the cookie alone opens it (X4). */
  readonly page: boolean;
  /** For a browser to save: a ticket in the query opens it, once. */
  readonly download: boolean;
  /** What a credential must be good for: `read` for GET and `run` for others unless told. */
  readonly needs: Right;
  /** What the session that it names, or its run's, must be to the caller; the rest answers 404. */
  readonly level: Level;
  /** Takes an `Idempotency-Key` header. */
  readonly idempotent: boolean;
  /** Bytes that a body may have; 1 MiB unless told. */
  readonly bodyMax?: number;
  /** The answer carries `X-Next-Cursor`. */
  readonly paged: boolean;
}

const none = z.strictObject({});
const nothing = z.undefined();
type None = typeof none;
type Nothing = typeof nothing;

type Given<P extends Fields, Q extends Fields, B extends z.ZodType, A extends z.ZodType> = Pick<
  Endpoint,
  'method' | 'path' | 'summary' | 'group'
> &
  Partial<
    Pick<
      Endpoint,
      | 'status'
      | 'format'
      | 'item'
      | 'example'
      | 'errors'
      | 'open'
      | 'page'
      | 'download'
      | 'needs'
      | 'level'
      | 'idempotent'
      | 'paged'
      | 'bodyMax'
    >
  > & {
    readonly params?: P;
    readonly query?: Q;
    readonly body?: B;
    readonly answer?: A;
  };

export function endpoint<
  P extends Fields = None,
  Q extends Fields = None,
  B extends z.ZodType = Nothing,
  A extends z.ZodType = Nothing,
>(given: Given<P, Q, B, A>): Endpoint<P, Q, B, A> {
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
    needs: given.method === 'GET' ? 'read' : 'run',
    level: given.method === 'GET' ? 'view' : 'operate',
    idempotent: false,
    paged: false,
    ...given,
  };
}

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
  limit: wholeIn(1, 200).optional().describe('How many at most.'),
  cursor: Cursor.optional().describe('Where to go on: what the page before gave.'),
};

export const page = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });
