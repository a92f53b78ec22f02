import type { NodeView } from '../../contract/node.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Hint } from '../../queue/hint.ts';
import type { Clock, Store } from '../../queue/store.ts';
import { newSessionOf } from '../../sessions/conformance/rig.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { AccessStore, Audited, NewToken, UserRecord, ValidSignIn } from '../access-store.ts';
import type { NewAuditEntry } from '../principal.ts';

type Ports = Store & SessionStore & AccessStore;
export type AccessStores = Ports & Audited<Ports>;
/** Opens the store of this name; the same name opens the same data. */
export type OpenAccess = (databaseName: string, clock: Clock) => Promise<AccessStores>;
/** One test of the suite; the title begins with its rule. */
export type AccessRule = (title: string, body: (rig: AccessStoreRig) => Promise<void>) => void;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** An access store under test, with a clock that advances only on demand. */
export class AccessStoreRig {
  readonly store: AccessStores;
  readonly databaseName: string;
  now: number;
  #names = 0;

  private constructor(databaseName: string, store: AccessStores, now: number) {
    this.databaseName = databaseName;
    this.store = store;
    this.now = now;
  }

  static async open(open: OpenAccess): Promise<AccessStoreRig> {
    const databaseName = newId();
    const clock = { now: 1_700_000_000_000 };
    const store = await open(databaseName, () => clock.now);
    const rig = new AccessStoreRig(databaseName, store, clock.now);
    Object.defineProperty(rig, 'now', {
      get: () => clock.now,
      set: (now: number) => {
        clock.now = now;
      },
    });
    return rig;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  user(given: { name?: string; role?: UserRecord['role'] } = {}): Promise<UserRecord> {
    return this.store.createUser({
      id: newId(),
      name: `user-${++this.#names}`,
      role: 'operator',
      ...given,
    });
  }

  /** A new token. Its digest is not that of a real secret, but the store cannot know that. */
  newToken(userId: string, given: Partial<NewToken> = {}): NewToken {
    return {
      id: newId(),
      userId,
      name: 'laptop',
      digest: newId(),
      scopes: ['read', 'run'],
      channel: 'api',
      expiresInMs: HOUR,
      notAfter: null,
      ...given,
    };
  }

  async code(userId: string, expiresInMs = HOUR): Promise<string> {
    const digest = newId();
    await this.store.createCode({ digest, userId, expiresInMs });
    return digest;
  }

  /** A browser that has signed in, and the digest of its secret. */
  async signedIn(
    userId: string,
    { idleMs = HOUR, lifeMs = 24 * HOUR } = {},
  ): Promise<{ signIn: ValidSignIn; digest: string }> {
    const digest = newId();
    const signIn = await this.store.signIn(
      { user: userId },
      { id: newId(), digest, pageKeyDigest: newId(), idleMs, lifeMs },
    );
    if (signIn === null) throw new Error('the user could not sign in');
    return { signIn, digest };
  }

  async session(ownerId: string): Promise<string> {
    const id = newId();
    await this.store.createSession({ ...newSessionOf(id, `session ${++this.#names}`), ownerId });
    return id;
  }

  node(id: string, leaseMs = HOUR, roles: NodeView['roles'] = ['api', 'worker']): Promise<void> {
    return this.store.join(
      {
        id,
        host: `host-of-${id}`,
        bootId: 'boot',
        pidNamespace: 'pids',
        pid: 1,
        pidStart: '1',
        roles,
        types: ['agent'],
        capacity: 4,
        version: '1',
        ...(roles.includes('worker') ? { url: `http://${id}.internal:8080` } : {}),
      },
      leaseMs,
    );
  }

  /** The hints that the store sends while `act` runs. */
  async hints(act: () => Promise<unknown>): Promise<Hint[]> {
    const heard: Hint[] = [];
    const stop = this.store.onHint((hint) => heard.push(hint));
    await act();
    stop();
    return heard;
  }
}

export const entry = (given: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  userId: 'admin',
  channel: 'api',
  credential: 'admin',
  address: '127.0.0.1',
  requestId: 'r-1',
  action: 'user.create',
  target: { kind: 'user', id: 'x' },
  before: null,
  after: null,
  ...given,
});
