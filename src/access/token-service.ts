import {
  type CreatedToken,
  type CreateToken,
  RIGHTS_OF,
  Right,
  type Token,
} from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import { newId } from '../contract/values/ids.ts';
import type { AccessStore, Audited } from './access-store.ts';
import { type Page, type PageQuery, readPage, type Slice } from './page.ts';
import {
  type Authorised,
  entryOf,
  isAdmin,
  type Principal,
  rightsOf,
  throughOf,
} from './principal.ts';
import { digestOf, newToken } from './secret.ts';
import { findUser } from './user-service.ts';
import { toToken } from './views.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_SCOPES: readonly Right[] = ['read', 'run'];

/**
 * Users' tokens. Users manage their own tokens, and administrators also manage other users' tokens.
 */
export interface TokenService {
  list(
    by: Authorised<'account'>,
    query: PageQuery & { userId?: string | undefined },
  ): Promise<Page<Token>>;
  create(by: Authorised<'account'>, body: CreateToken): Promise<CreatedToken>;
  revoke(by: Authorised<'account'>, id: string): Promise<void>;
}

interface Parts {
  readonly store: AccessStore & Audited<AccessStore>;
  /** Masks secrets in text that people wrote. */
  readonly mask: (text: string) => string;
}

export function tokenService({ store, mask }: Parts): TokenService {
  return {
    async list(by, { userId = by.userId, ...page }) {
      await checkOwner(store, by, userId);
      const read = ({ limit, cursor }: Slice) =>
        store.listTokens({ userId, limit, ...(cursor === undefined ? {} : { before: cursor }) });
      return readPage(by, page, read, toToken, ({ id }) => id);
    },

    async create(by, body) {
      const { userId = by.userId, channel, expiresInDays } = body;
      await checkOwner(store, by, userId);
      const scopes = await scopesOf(store, by, userId, body.scopes);
      const id = newId();
      const name = mask(body.name);
      const secret = newToken();
      const after = { name, userId, scopes, channel, expiresInDays };
      const token = await store
        .audited(entryOf(by, 'token.create', { kind: 'token', id }, { after }))
        .createToken({
          id,
          userId,
          name,
          digest: digestOf(secret),
          scopes,
          channel,
          through: throughOf(by, channel),
          expiresInMs: expiresInDays === null ? null : expiresInDays * DAY_MS,
          notAfter: await endOf(store, by),
        });
      return { ...toToken(token), token: secret };
    },

    async revoke(by, id) {
      const token = await store.getToken(id);
      if (token === null || !(token.userId === by.userId || isAdmin(by))) {
        throw new BatonError('not_found');
      }
      if (token.revokedAt !== null) return;
      const { name, userId } = token;
      const before = { name, userId };
      await store
        .audited(entryOf(by, 'token.revoke', { kind: 'token', id }, { before }))
        .revokeToken(id);
    },
  };
}

/** Users manage their own tokens; admins manage those of any existing user. */
async function checkOwner(store: AccessStore, by: Principal, userId: string): Promise<void> {
  if (userId === by.userId) return;
  if (!isAdmin(by)) throw new BatonError('not_found');
  await findUser(store, userId);
}

/**
 * A token gets no more rights than the credential that creates it, nor more than its user's role.
 */
async function scopesOf(
  store: AccessStore,
  by: Principal,
  userId: string,
  asked: CreateToken['scopes'],
): Promise<Right[]> {
  const held = rightsOf(by);
  const theirs = RIGHTS_OF[(await findUser(store, userId)).role];
  const possible = held.filter((right) => theirs.includes(right));
  const wanted = asked ?? DEFAULT_SCOPES.filter((right) => possible.includes(right));
  const missing = wanted.find((right) => !possible.includes(right));
  if (missing !== undefined) {
    throw new BatonError(
      'forbidden',
      `The scope ${missing} exceeds the rights of ${held.includes(missing) ? "this user's role" : 'this credential'}.`,
      { details: { field: 'scopes', possible } },
    );
  }
  if (wanted.length === 0) {
    throw new BatonError(
      'forbidden',
      'This credential has neither of the default scopes ("read" and "run"). Specify the scopes.',
      { details: { field: 'scopes', possible } },
    );
  }
  return Right.options.filter((right) => wanted.includes(right));
}

/**
 * The expiry of the token that the caller uses or signed in with. A token they create must not
 * outlive it, so that nobody can extend temporary access.
 */
async function endOf(store: AccessStore, { credential = '' }: Principal): Promise<number | null> {
  if (!/^(token|cookie):/.test(credential)) return null;
  const valid = await store.findCredential(credential);
  // The token expired during the request.
  if (valid === null) throw new BatonError('unauthorized');
  return valid.tokenExpiresAt;
}
