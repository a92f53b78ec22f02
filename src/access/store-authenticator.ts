import { timingSafeEqual } from 'node:crypto';
import { ADMIN_ID } from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import type { Channel } from '../contract/message.ts';
import type { Ticket } from '../contract/ticket.ts';
import { newId } from '../contract/values/ids.ts';
import { toTime } from '../contract/values/time.ts';
import { onTopic } from '../queue/hint.ts';
import type { Store } from '../queue/store.ts';
import type {
  AccessStore,
  Audited,
  SignInBy,
  ValidCredential,
  ValidSignIn,
  ValidToken,
} from './access-store.ts';
import { ACCESS } from './access-store.ts';
import type { Authenticator, CookieSecret } from './authenticator.ts';
import { LookupCache } from './lookup-cache.ts';
import { entryOf, isAdmin, type Principal } from './principal.ts';
import { digestOf, isSecret, isToken, newSecret } from './secret.ts';
import { TokenUses } from './token-uses.ts';

const DAY_MS = 24 * 60 * 60_000;
const START_CODE_MS = 60 * 60_000;
const IDLE_MS = 7 * DAY_MS;
const LIFE_MS = 30 * DAY_MS;
/**
 * How old a cookie's secret is when it is replaced, and how long requests in progress may still use
 * the old one.
 */
const RENEW_MS = 60 * 60_000;
const GRACE_MS = 60_000;
const TICKET_MS = 30_000;
/** A hint clears the cache at once when access changes; the time limit covers lost hints. */
const CACHE_MS = 1000;
const CACHE_MAX = 10_000;

export type AuthenticatorStore = AccessStore & Audited<AccessStore> & Pick<Store, 'onHint'>;

export interface StoreAuthenticatorOptions {
  readonly adminToken: string;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** A clock that is close to the database's. */
  readonly clock?: () => number;
}

const ADMIN: Principal = {
  userId: ADMIN_ID,
  role: 'admin',
  channel: 'api',
  credential: 'admin',
};

/**
 * Authenticates against the database. Before `open`, the authenticator knows only the admin token.
 * Lookups are cached for a second, and dropped when any node changes what a user may do.
 */
export class StoreAuthenticator implements Authenticator {
  readonly #admin: Buffer;
  readonly #clock: () => number;
  readonly #tokens: LookupCache<ValidToken>;
  readonly #signIns: LookupCache<ValidSignIn>;
  readonly #uses: TokenUses;
  readonly #listeners = new Set<() => void>();
  #store: AuthenticatorStore | null = null;
  #stopHints = (): void => {};

  constructor({
    adminToken,
    now = () => performance.now(),
    clock = Date.now,
  }: StoreAuthenticatorOptions) {
    this.#admin = Buffer.from(digestOf(adminToken));
    this.#clock = clock;
    const limits = { forMs: CACHE_MS, most: CACHE_MAX, now };
    this.#tokens = new LookupCache(async (digest) => {
      const token = await this.#open().findToken(digest);
      return typeof token === 'string' ? null : token;
    }, limits);
    this.#signIns = new LookupCache((digest) => this.#open().findSignIn(digest, IDLE_MS), limits);
    this.#uses = new TokenUses((ids) => this.#open().touchTokens(ids), now);
  }

  open(store: AuthenticatorStore): void {
    this.#store = store;
    this.#stopHints = onTopic(store, ACCESS, () => this.#accessChanged());
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    this.#stopHints();
    await this.#uses.flush();
  }

  async startCode(): Promise<string> {
    const code = newSecret();
    const digest = digestOf(code);
    // Links from earlier starts remain in the service's log, which others may be able to read.
    const expiresInMs = START_CODE_MS;
    await this.#open().createCode({ digest, userId: ADMIN_ID, expiresInMs, only: true });
    return code;
  }

  async byToken(token: string): Promise<Principal | null> {
    const digest = digestOf(token);
    if (this.#isAdmin(digest)) return ADMIN;
    if (!isToken(token)) return null;
    const valid = await this.#tokens.get(digest);
    if (valid === null) return null;
    this.#uses.note(valid.token.id);
    return ofToken(`token:${valid.token.id}`, { ...valid.token, user: valid.user });
  }

  async byCookie(
    secret: string,
    pageKey: string | null = null,
  ): Promise<{ by: Principal; due: boolean; hasKey: boolean } | null> {
    if (!isSecret(secret)) return null;
    const signIn = await this.#signIns.get(digestOf(secret));
    if (signIn === null) return null;
    const due = !signIn.previous && this.#clock() - signIn.rotatedAt >= RENEW_MS;
    const hasKey = pageKey !== null && isPageKey(pageKey, signIn);
    return { by: principalOf(signIn), due, hasKey };
  }

  async renew(secret: string): Promise<CookieSecret | null> {
    const from = digestOf(secret);
    const signIn = await this.#signIns.get(from);
    if (signIn === null || signIn.previous) return null;
    const next = newSecret();
    const to = digestOf(next);
    const won = await this.#open().rotateSignIn(signIn.id, { from, to, graceMs: GRACE_MS });
    this.#signIns.forget(from);
    if (!won) return null;
    return { secret: next, lifeMs: Math.max(0, signIn.expiresAt - this.#clock()) };
  }

  async signIn(
    shown: { readonly code: string } | { readonly token: string },
    from: { readonly address: string; readonly requestId: string },
  ): Promise<({ by: Principal; pageKey: string } & CookieSecret) | null> {
    const how = await this.#signInBy(shown);
    if (how === null) return null;
    const id = newId();
    const [secret, pageKey] = [newSecret(), newSecret()];
    // A code's user is known only once the code is used up, so the store writes the user into the
    // audit line.
    const stranger = { userId: '', role: 'viewer', channel: 'web', ...from } as const;
    const by = { ...stranger, credential: how.credential };
    const entry = entryOf(by, 'auth.sign_in', { kind: 'sign_in', id });
    const digests = { digest: digestOf(secret), pageKeyDigest: digestOf(pageKey) };
    const made = { id, ...digests, idleMs: IDLE_MS, lifeMs: LIFE_MS };
    const signIn = await this.#open().audited(entry).signIn(how.by, made);
    if (signIn === null) return null;
    return { by: { ...principalOf(signIn), ...from }, secret, pageKey, lifeMs: LIFE_MS };
  }

  async signOut(by: Principal): Promise<void> {
    const id = signInOf(by);
    if (id === null) return;
    const entry = entryOf(by, 'auth.sign_out', { kind: 'sign_in', id });
    await this.#open().audited(entry).endSignIn(id);
    this.#signIns.forgetAll();
  }

  async createTicket(by: Principal, path: string): Promise<Ticket> {
    const signInId = signInOf(by);
    if (signInId === null) {
      throw new BatonError(
        'forbidden',
        'Tickets are only for browsers. With a token, send the Authorization header instead.',
      );
    }
    const ticket = newSecret();
    const made = { digest: digestOf(ticket), signInId, path, expiresInMs: TICKET_MS };
    const { expiresAt } = await this.#open().createTicket(made);
    return { ticket, expiresAt: toTime(expiresAt) };
  }

  async takeTicket(by: Principal, ticket: string, path: string): Promise<boolean> {
    if (!isSecret(ticket)) return false;
    const taken = await this.#open().takeTicket(digestOf(ticket));
    return taken !== null && taken.signInId === signInOf(by) && taken.path === path;
  }

  async byName(credential: string): Promise<Principal | null> {
    if (credential === ADMIN.credential) return ADMIN;
    const valid = await this.#open().findCredential(credential);
    if (valid === null) return null;
    const id = signInOf({ credential });
    return id === null ? ofToken(credential, valid) : principalOf({ id, ...valid });
  }

  async recheck(by: Principal): Promise<{ by: Principal; name: string } | null> {
    const { credential = '' } = by;
    if (credential === ADMIN.credential) return { by, name: ADMIN_ID };
    const valid = await this.#open().findCredential(credential);
    return valid === null ? null : { by: asNow(by, valid), name: valid.user.name };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #signInBy(
    shown: { readonly code: string } | { readonly token: string },
  ): Promise<{ readonly by: SignInBy; readonly credential: string } | null> {
    if ('code' in shown) {
      if (!isSecret(shown.code)) return null;
      const code = digestOf(shown.code);
      // Even callers over their rate limit may guess, so a guess must not cost a transaction.
      return (await this.#open().hasCode(code)) ? { by: { code }, credential: 'code' } : null;
    }
    const known = await this.byToken(shown.token);
    if (known === null) return null;
    const { credential = '' } = known;
    const isAdmin = credential === ADMIN.credential;
    return { by: isAdmin ? { user: ADMIN_ID } : { token: digestOf(shown.token) }, credential };
  }

  /**
   * All digests have the same length, so the comparison reveals nothing about the length of the
   * token.
   */
  #isAdmin(digest: string): boolean {
    return timingSafeEqual(Buffer.from(digest), this.#admin);
  }

  #open(): AuthenticatorStore {
    if (this.#store === null) throw new BatonError('database_unreachable');
    return this.#store;
  }

  #accessChanged(): void {
    this.#tokens.forgetAll();
    this.#signIns.forgetAll();
    for (const listener of [...this.#listeners]) listener();
  }
}

function ofToken(
  credential: string,
  {
    user,
    channel,
    through,
    scopes,
  }: Pick<ValidCredential, 'user' | 'channel' | 'through' | 'scopes'>,
): Principal {
  const { id: userId, role } = user;
  const limits = scopes === null ? {} : { scopes };
  return { userId, role, channel, ...via(through), ...limits, credential };
}

type SignedIn = Pick<ValidSignIn, 'id' | 'user' | 'scopes' | 'through'>;

function principalOf({ id, user, scopes, through }: SignedIn): Principal {
  const by: Principal = {
    userId: user.id,
    role: user.role,
    channel: 'web',
    ...(scopes === null ? {} : { scopes }),
    credential: `cookie:${id}`,
  };
  return isAdmin(by) ? by : { ...by, ...via(through.filter((each) => each !== by.channel)) };
}

const via = (through: readonly Channel[]): Pick<Principal, 'through'> =>
  through.length === 0 ? {} : { through };
/** Null if the principal did not sign in with a browser. */
const signInOf = ({ credential = '' }: Pick<Principal, 'credential'>): string | null =>
  /^cookie:(.+)$/.exec(credential)?.[1] ?? null;

/** All digests have the same length, so the comparison reveals nothing. */
const isPageKey = (pageKey: string, { pageKeyDigest }: ValidSignIn): boolean =>
  pageKeyDigest !== null &&
  timingSafeEqual(Buffer.from(digestOf(pageKey)), Buffer.from(pageKeyDigest));

function asNow(by: Principal, { user, scopes }: ValidCredential): Principal {
  const { scopes: _before, ...rest } = by;
  return { ...rest, role: user.role, ...(scopes === null ? {} : { scopes }) };
}
