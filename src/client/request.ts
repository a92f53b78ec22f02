import { BatonError, ERRORS, type ErrorCode, isBatonError } from '../contract/errors.ts';
import type { Operation } from './operation.ts';
import type { Transport } from './transport.ts';

export interface ClientOptions {
  /** The server's URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** How streams are opened; server-sent events by default. */
  readonly transport?: Transport;
}

/** The input of a call, as its operation's schemas define it. */
export interface RequestInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** A message sent several times with the same key creates only one run. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and returns a successful response. Throws a coded error if there is none. */
export async function request(
  client: ClientOptions,
  operation: Pick<Operation, 'method' | 'path'>,
  input: RequestInput,
  options: CallOptions = {},
): Promise<Response> {
  const send = client.fetch ?? fetch;
  const { signal } = options;
  let response: Response;
  try {
    response = await send(urlOf(client, operation, input), {
      method: operation.method,
      headers: headersOf(client, input, options),
      // The request is meant only for this server, not for one it redirects to.
      redirect: 'manual',
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    throw asUnreachable(error, client.url, signal);
  }
  if (REDIRECTS.includes(response.status)) throw redirected(response, client.url);
  if (!response.ok) throw await errorOf(response, client.url);
  return response;
}

const REDIRECTS = [301, 302, 303, 307, 308];

function redirected({ status, headers }: Response, url: string): BatonError {
  const to = headers.get('location') ?? 'nowhere';
  return new BatonError(
    'bad_answer',
    `${url} responded with ${status}, a redirect to ${to}. Baton does not follow redirects; use that address if you trust it.`,
  );
}

/** Leaves the caller's own abort and coded errors unchanged; anything else is a network error. */
export function asUnreachable(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (signal?.aborted === true || isBatonError(error)) return error;
  return new BatonError(
    'server_unreachable',
    `No Baton server responds at ${url} (${causeOf(error)}). Start one with \`baton up\`, or set BATON_URL to its address.`,
    { cause: error },
  );
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** The URL of an operation with this input. */
export function urlOf(
  { url }: Pick<ClientOptions, 'url'>,
  { path }: Pick<Operation, 'path'>,
  { params, query }: RequestInput,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])),
  );
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) fields.set(name, String(value));
  }
  const text = fields.toString();
  return `${url.replace(/\/+$/, '')}${filled}${text === '' ? '' : `?${text}`}`;
}

const headersOf = (
  { token }: ClientOptions,
  { body }: RequestInput,
  { idempotencyKey, headers }: CallOptions,
): Record<string, string> => ({
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  ...headers,
});

interface Envelope {
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown };
  readonly meta?: { readonly requestId: string };
}

/** Checks the value by hand, because the web app does not load the schemas. */
function envelopeOf(value: unknown): Envelope | null {
  const { error, meta } = (value ?? {}) as Partial<Envelope>;
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return null;
  return typeof meta?.requestId === 'string' ? { error, meta } : { error };
}

/** The code for a response that has none, based on its status. */
const BY_STATUS: Record<number, ErrorCode> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  429: 'rate_limited',
};

async function errorOf(response: Response, url: string): Promise<BatonError> {
  const { status } = response;
  const envelope = envelopeOf(await response.json().catch(() => null));
  if (envelope === null) {
    // This response is not Baton's: it comes from a proxy or from another server.
    const code = status >= 500 ? 'server_unreachable' : (BY_STATUS[status] ?? 'bad_answer');
    return new BatonError(code, `${url} responded with ${status} ${response.statusText}`.trim());
  }
  const { error, meta } = envelope;
  const options = { details: error.details, requestId: meta?.requestId };
  if (Object.hasOwn(ERRORS, error.code)) {
    return new BatonError(error.code as ErrorCode, error.message, options);
  }
  // An unknown code comes from a newer server.
  const known = status >= 500 ? 'internal' : (BY_STATUS[status] ?? 'invalid_request');
  return new BatonError(known, `${error.message} (${error.code})`, options);
}
