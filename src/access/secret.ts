import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits: nobody guesses them, so that a plain digest of them is safe to keep. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** A bearer token. Its beginning says what it is, to people and to masking. */
export const newToken = (): string => `baton_token_${newSecret()}`;

/** What could be one; anything else is not looked up. */
export const isToken = (text: string): boolean => /^baton_token_[\w-]{43}$/.test(text);
export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** As the database keeps it. */
export const digestOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
