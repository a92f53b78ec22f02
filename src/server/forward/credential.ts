import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The header of a forwarded request. Only nodes can generate its value. */
export const FORWARD_HEADER = 'x-baton-forward';

/** How long a credential is valid, on the database's clock. */
export const LIFE_MS = 15_000;
/** No credential may be valid for longer than this, whatever it says. */
export const LIFE_MAX_MS = 30_000;

const VERSION = 'v1';

/**
 * What a node that forwards a request says about it (X7). It names the caller but none of their rights:
 * the destination reads those from the database, so a claim that is wrong or out of date adds none.
 */
export const Claim = z.object({
  /** The destination. */
  node: z.string(),
  userId: z.string(),
  /** The caller's credential, by its name in the audit log. */
  credential: z.string(),
  /** For the audit log. */
  address: z.string(),
  requestId: z.string(),
  /** SHA-256 of the body. */
  body: z.string(),
  /** On the database's clock. */
  expiresAt: z.number(),
  /** Random, accepted once. */
  number: z.string().min(20),
});
export type Claim = z.infer<typeof Claim>;

/** The request line that a credential is for; `url` is the path with its query, as sent. */
export interface RequestLine {
  readonly method: string;
  readonly url: string;
}

/** The key that all nodes of an installation derive from its secret key. */
export const forwardKeyOf = (secretKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'baton forward', 32));

export const bodyDigestOf = (body: Buffer): string =>
  createHash('sha256').update(body).digest('base64url');

export function sign(key: Buffer, claim: Claim, line: RequestLine): string {
  const payload = Buffer.from(JSON.stringify(claim)).toString('base64url');
  return `${VERSION}.${payload}.${macOf(key, payload, line).toString('base64url')}`;
}

/** Null unless it was signed with this key for this method, path and query. */
export function openCredential(key: Buffer, text: string, line: RequestLine): Claim | null {
  const [version, payload, mac, ...rest] = text.split('.');
  if (version !== VERSION || payload === undefined || mac === undefined || rest.length > 0) {
    return null;
  }
  const given = Buffer.from(mac, 'base64url');
  const expected = macOf(key, payload, line);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Claim.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data ?? null;
}

/**
 * Method, path and query are signed but not repeated in the credential, which must fit into the headers
 * of the destination however long they are. None of the parts can contain a line feed.
 */
const macOf = (key: Buffer, payload: string, { method, url }: RequestLine): Buffer =>
  createHmac('sha256', key).update([VERSION, payload, method, url].join('\n')).digest();
