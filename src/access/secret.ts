import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits: impossible to guess, so storing a plain digest of them is safe. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** A bearer token. The prefix identifies the token to people and to the masker. */
export const newToken = (): string => `baton_token_${newSecret()}`;

/** Checks only the format. Text in any other format is not looked up in the database. */
export const isToken = (text: string): boolean => /^baton_token_[\w-]{43}$/.test(text);
export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** The form in which the database stores a secret. */
export const digestOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');
