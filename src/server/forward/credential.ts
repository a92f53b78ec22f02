import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The header of a forwarded request. Only nodes can generate the header's value. */
export const FORWARD_HEADER = 'x-baton-forward';

/**
 * The header of every response to a forwarded request. Only the destination can generate its value.
 */
export const PROOF_HEADER = 'x-baton-forward-proof';

/** How long a credential is valid, on the database's clock. */
export const LIFE_MS = 15_000;
/** No credential may be valid for longer than this, whatever expiry it states. */
export const LIFE_MAX_MS = 30_000;

const VERSION = 'v1';
/** Keeps proofs distinct from credentials, which are signed with the same key. */
const PROOF_PURPOSE = 'proof v1';

/**
 * What a node states about a request that it forwards (X7). The statement names the caller but none
 * of their rights: the destination reads those from the database, so a claim that is wrong or out
 * of date adds no rights.
 */
export const Claim = z.object({
  /** The destination. */
  node: z.string(),
  userId: z.string(),
  /** The name of the caller's credential in the audit log. */
  credential: z.string(),
  /** The caller's address, for the audit log. */
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
  if (!isEqual(mac, macOf(key, payload, line))) return null;
  return Claim.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data ?? null;
}

/** What the destination named in a claim returns to prove its identity. */
export const proofOf = (key: Buffer, claim: Pick<Claim, 'node' | 'number'>): string =>
  proofMacOf(key, claim).toString('base64url');

export const isProof = (
  key: Buffer,
  claim: Pick<Claim, 'node' | 'number'>,
  given: unknown,
): boolean => typeof given === 'string' && isEqual(given, proofMacOf(key, claim));

const proofMacOf = (key: Buffer, { node, number }: Pick<Claim, 'node' | 'number'>): Buffer =>
  createHmac('sha256', key).update([PROOF_PURPOSE, node, number].join('\n')).digest();

function isEqual(given: string, expected: Buffer): boolean {
  const bytes = Buffer.from(given, 'base64url');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/**
 * Method, path and query are signed but not repeated in the credential: however long they are, the
 * credential must fit into the destination's limit for headers. None of the parts can contain a
 * line feed.
 */
const macOf = (key: Buffer, payload: string, { method, url }: RequestLine): Buffer =>
  createHmac('sha256', key).update([VERSION, payload, method, url].join('\n')).digest();
