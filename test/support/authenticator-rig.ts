import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { NewToken } from '../../src/access/access-store.ts';
import { digestOf, newSecret, newToken } from '../../src/access/secret.ts';
import {
  StoreAuthenticator,
  type StoreAuthenticatorOptions,
} from '../../src/access/store-authenticator.ts';
import type { Role } from '../../src/contract/access.ts';
import { newId } from '../../src/contract/values/ids.ts';
import type { BatonStore } from '../../src/storage/operations/baton-store.ts';
import { postgresStore } from '../../src/storage/postgres/store.ts';
import { createDatabase } from './postgres.ts';
import { temporaryDirectory } from './processes.ts';
import { testStore } from './sqlite.ts';

export const ADMIN_TOKEN = 'admin-token-for-tests';
export const FROM = { address: '192.0.2.7', requestId: 'request-1' };

/** Creates a database; each call of the result opens it for another node. */
export const DATABASES: [string, () => Promise<() => Promise<BatonStore>>][] = [
  [
    'SQLite',
    async () => {
      // Only one process can open SQLite, so both nodes use the same store.
      const store = await testStore({ path: join(temporaryDirectory(), 'baton.db') });
      onTestFinished(() => store.close());
      return async () => store;
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const { url, drop } = await createDatabase();
      onTestFinished(drop);
      return async () => {
        const store = await postgresStore({ url });
        onTestFinished(() => store.close());
        return store;
      };
    },
  ],
];

export function authenticatorOver(
  store: BatonStore,
  options: Partial<StoreAuthenticatorOptions> = {},
): StoreAuthenticator {
  const authenticator = new StoreAuthenticator({ adminToken: ADMIN_TOKEN, ...options });
  authenticator.open(store);
  onTestFinished(() => authenticator.close());
  return authenticator;
}

/** Writes users and their credentials directly to the database. */
export function peopleOf(store: BatonStore) {
  return {
    user: (name: string, role: Role = 'operator') => store.createUser({ id: newId(), name, role }),
    async token(
      userId: string,
      more: Partial<NewToken> = {},
    ): Promise<{ id: string; token: string }> {
      const token = newToken();
      const id = newId();
      await store.createToken({
        id,
        userId,
        name: 'test',
        digest: digestOf(token),
        scopes: ['read', 'run'],
        channel: 'api',
        expiresInMs: null,
        notAfter: null,
        ...more,
      });
      return { id, token };
    },
    async code(userId: string): Promise<string> {
      const code = newSecret();
      await store.createCode({ digest: digestOf(code), userId, expiresInMs: 60_000 });
      return code;
    },
  };
}
