import { z } from 'zod';
import { Channel } from './message.ts';
import { Json } from './values/json.ts';
import { Time } from './values/time.ts';

/**
 * Changes made by people and channels (P6). The names, as in the audit log, consist of a noun and a
 * verb.
 */
export const AuditAction = z.enum([
  'session.create',
  'session.update',
  'session.delete',
  'session.complete',
  'session.terminate',
  'session.reopen',
  'session.archive',
  'session.retry',
  'session.hold',
  'session.resume',
  'session.fork',
  'session.move',
  'session.share',
  'message.send',
  'run.edit',
  'run.remove',
  'run.cancel',
  'run.retry',
  'approval.decide',
  'approval.reveal',
  'policy.update',
  'user.create',
  'user.update',
  'user.sign_in_link',
  'user.sign_out',
  'token.create',
  'token.revoke',
  'system.stop',
  'system.resume',
  'auth.sign_in',
  'auth.sign_out',
]);
export type AuditAction = z.infer<typeof AuditAction>;

export const AuditEntry = z.object({
  seq: z.int(),
  at: Time,
  userId: z.string(),
  channel: Channel,
  /** The credential that the user used: `admin`, `token:<id>`, `cookie:<id>` or `code`. */
  credential: z.string(),
  /** The client's address, as the server saw it. */
  address: z.string(),
  requestId: z.string().nullable(),
  action: AuditAction,
  /** The kind and id of the changed object. */
  target: z.object({
    kind: z.enum(['session', 'run', 'approval', 'policy', 'user', 'token', 'sign_in', 'system']),
    id: z.string(),
  }),
  /**
   * The values before and after the change, if they are small. The values are masked and never
   * contain a secret.
   */
  before: Json,
  after: Json,
});
export type AuditEntry = z.infer<typeof AuditEntry>;
