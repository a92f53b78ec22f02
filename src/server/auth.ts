import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../access/principal.ts';

/** What a credential is read from: a request of Fastify's, or the bare one of an upgrade. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
}

/** Says who asks; null is a stranger. The channel follows from the credential, too (SPEC §1). */
export interface Authenticator {
  authenticate(request: Credentials): Promise<Principal | null>;
}

/** Lets in whoever has the admin token, as `Authorization: Bearer <token>`. */
export function adminToken(token: string): Authenticator {
  const expected = digest(token);
  const admin: Principal = { userId: 'admin', role: 'admin', channel: 'api' };
  return {
    async authenticate({ headers }) {
      const given = bearerOf(headers);
      // Digests have one length, so that the comparison tells nothing about the token's.
      return given !== null && timingSafeEqual(digest(given), expected) ? admin : null;
    },
  };
}

/** Lets in nobody: a node that has no credential yet. */
export const nobody: Authenticator = { authenticate: async () => null };

export function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
