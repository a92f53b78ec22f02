import { createHash, randomBytes } from 'node:crypto';

/** 256 bits that nobody guesses; the prefix lets masking, and people, know what it is. */
export const newSecret = (kind: 'token' | 'code' | 'cookie'): string =>
  `baton_${kind}_${randomBytes(32).toString('base64url')}`;

/** How a secret is stored and looked up: never itself. */
export const digestOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
