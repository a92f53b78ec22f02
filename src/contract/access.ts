import { z } from 'zod';
import { Channel } from './message.ts';
import { Time } from './values/time.ts';

/* Who may do what (SPEC §9). */

export const Role = z.enum(['viewer', 'operator', 'admin']);
export type Role = z.infer<typeof Role>;

/**
 * What a credential may be used for: reading, running agents, managing one's own tokens and
 * sign-ins, or administration. An operation requires one right. A role grants several rights, and a
 * token never has more rights than its user.
 */
export const Right = z.enum(['read', 'run', 'account', 'admin']);
export type Right = z.infer<typeof Right>;

export const RIGHTS_OF: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['read', 'account'],
  operator: ['read', 'run', 'account'],
  admin: ['read', 'run', 'account', 'admin'],
};

/** The built-in administrator of every installation. The admin token belongs to this user. */
export const ADMIN_ID = 'admin';

/** `admin`, or a UUID. */
export const UserId = z.union([z.literal(ADMIN_ID), z.uuid()]);
export const UserName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/,
    'a user name has 1 to 64 letters, digits or . _ @ -, and starts with a letter or digit',
  );

export const User = z.object({
  id: UserId,
  name: UserName,
  role: Role,
  createdAt: Time,
  /** When the user was disabled. */
  disabledAt: Time.nullable(),
});
export type User = z.infer<typeof User>;

export const CreateUser = z.strictObject({ name: UserName, role: Role.default('operator') });
export type CreateUser = z.output<typeof CreateUser>;

/** Fields that are left out stay as they are. */
export const UpdateUser = z.strictObject({
  name: UserName.optional(),
  role: Role.optional(),
  disabled: z.boolean().optional(),
});
export type UpdateUser = z.output<typeof UpdateUser>;

/** The caller, as the server sees them. */
export const Me = z.object({
  user: User,
  rights: z.array(Right),
  channel: Channel,
});
export type Me = z.infer<typeof Me>;

/** A link that works only once and signs in the browser that opens it. */
export const SignInLink = z.object({ url: z.string(), code: z.string(), expiresAt: Time });
export type SignInLink = z.infer<typeof SignInLink>;

export const TokenId = z.uuid('a token id is a UUID');
export const TokenName = z
  .string()
  .trim()
  .min(1, 'a name must not be empty')
  .max(100, 'a name can have at most 100 characters')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to refuse them
  .regex(/^[^\u0000-\u001f\u007f-\u009f]+$/, 'a name must not contain control characters');

export const Token = z.object({
  id: TokenId,
  userId: UserId,
  name: z.string(),
  scopes: z.array(Right),
  channel: Channel,
  createdAt: Time,
  expiresAt: Time.nullable(),
  /** Approximate: updated at most once a minute. */
  lastUsedAt: Time.nullable(),
  revokedAt: Time.nullable(),
});
export type Token = z.infer<typeof Token>;

export const CreateToken = z.strictObject({
  name: TokenName,
  /**
   * The token's rights, at most those of the credential that creates it. Default: `read` and `run`.
   */
  scopes: z.array(Right).min(1, 'a token needs at least one scope').max(4).optional(),
  /** Null means that the token never expires. */
  expiresInDays: z.int().min(1).max(3650).nullable().default(90),
  /** The channel of messages sent with the token; `cli` is for tokens created by `baton login`. */
  channel: z.enum(['api', 'cli']).default('api'),
  /** Creates the token for another user; admins only. */
  userId: UserId.optional(),
});
export type CreateToken = z.output<typeof CreateToken>;

/** The only response that contains the token itself. */
export const CreatedToken = Token.extend({ token: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;

export const ShareLevel = z.enum(['view', 'operate']);
export type ShareLevel = z.infer<typeof ShareLevel>;
export const Share = z.object({ userId: UserId, userName: z.string(), level: ShareLevel });
export type Share = z.infer<typeof Share>;
/** `user` is a name or an id. */
export const PutShares = z.strictObject({
  shares: z
    .array(z.strictObject({ user: z.string().min(1).max(64), level: ShareLevel }))
    .max(100, 'at most 100 shares'),
});
export type PutShares = z.output<typeof PutShares>;
