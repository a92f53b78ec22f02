import {
  ADMIN_ID,
  type CreateUser,
  type Me,
  type SignInLink,
  type UpdateUser,
  type User,
} from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import { newId } from '../contract/values/ids.ts';
import type { Json } from '../contract/values/json.ts';
import { toTime } from '../contract/values/time.ts';
import type { AccessStore, Audited, UserRecord } from './access-store.ts';
import { type Page, type PageQuery, readPage, type Slice } from './page.ts';
import { type Authorised, entryOf, type Principal, rightsOf } from './principal.ts';
import { digestOf, newSecret } from './secret.ts';
import { toUser } from './views.ts';

const LINK_MS = 24 * 60 * 60 * 1000;

/** The people who use this installation. */
export interface UserService {
  /** The caller. */
  me(by: Authorised<'read'>): Promise<Me>;
  list(by: Authorised<'admin'>, query: PageQuery): Promise<Page<User>>;
  create(by: Authorised<'admin'>, body: CreateUser): Promise<User>;
  get(by: Authorised<'admin'>, id: string): Promise<User>;
  update(by: Authorised<'admin'>, id: string, body: UpdateUser): Promise<User>;
  createSignInLink(by: Authorised<'admin'>, id: string): Promise<SignInLink>;
  /** Ends all sign-ins of the user. */
  signOut(by: Authorised<'admin'>, id: string): Promise<void>;
}

interface Parts {
  readonly store: AccessStore & Audited<AccessStore>;
  /** The URL at which browsers reach this server, without a trailing slash. */
  readonly publicUrl: string;
}

export function userService({ store, publicUrl }: Parts): UserService {
  return {
    me: async (by) => ({
      user: toUser(await findUser(store, by.userId)),
      rights: rightsOf(by),
      channel: by.channel,
    }),

    async list(by, page) {
      const read = ({ limit, cursor }: Slice) =>
        store.listUsers({ limit, ...(cursor === undefined ? {} : { after: cursor }) });
      return readPage(by, page, read, toUser, ({ name }) => name);
    },

    async create(by, { name, role }) {
      const id = newId();
      const entry = entryOf(by, 'user.create', { kind: 'user', id }, { after: { name, role } });
      return toUser(await store.audited(entry).createUser({ id, name, role }));
    },

    get: async (_by, id) => toUser(await findUser(store, id)),

    async update(by, id, body) {
      const user = await findUser(store, id);
      checkSelfChange(by, id, body);
      const { before, after } = difference(user, body);
      if (Object.keys(after).length === 0) return toUser(user);
      const entry = entryOf(by, 'user.update', { kind: 'user', id }, { before, after });
      return toUser(await store.audited(entry).updateUser(id, after));
    },

    async createSignInLink(by, id) {
      const { name, disabledAt } = await findUser(store, id);
      if (disabledAt !== null) {
        throw new BatonError('invalid_request', `${name} is disabled. Enable them first.`);
      }
      const code = newSecret();
      const { expiresAt } = await store
        .audited(entryOf(by, 'user.sign_in_link', { kind: 'user', id }))
        .createCode({ digest: digestOf(code), userId: id, expiresInMs: LINK_MS });
      return { url: `${publicUrl}/sign-in?code=${code}`, code, expiresAt: toTime(expiresAt) };
    },

    async signOut(by, id) {
      await findUser(store, id);
      await store.audited(entryOf(by, 'user.sign_out', { kind: 'user', id })).endSignIns(id);
    },
  };
}

export async function findUser(store: AccessStore, id: string): Promise<UserRecord> {
  const user = await store.getUser(id);
  if (user === null) throw new BatonError('not_found');
  return user;
}

/**
 * Users cannot disable or demote themselves by accident; the store protects the built-in
 * administrator.
 */
function checkSelfChange(by: Principal, id: string, { role, disabled }: UpdateUser): void {
  if (id !== by.userId || id === ADMIN_ID) return;
  if (disabled !== true && (role === undefined || role === by.role)) return;
  throw new BatonError(
    'forbidden',
    'You cannot disable yourself or change your own role. Ask another administrator.',
  );
}

type Facts = { name?: string; role?: UserRecord['role']; disabled?: boolean };

/** The fields that change, with their old and new values. */
function difference(user: UserRecord, asked: UpdateUser): { before: Facts; after: Facts } {
  const is: Required<Facts> = {
    name: user.name,
    role: user.role,
    disabled: user.disabledAt !== null,
  };
  const names = (['name', 'role', 'disabled'] as const).filter(
    (name) => asked[name] !== undefined && asked[name] !== is[name],
  );
  const pick = (from: UpdateUser): Facts =>
    Object.fromEntries(names.map((name) => [name, from[name] as Json]));
  return { before: pick(is), after: pick(asked) };
}
