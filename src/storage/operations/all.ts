import type { NewAuditEntry } from '../../access/principal.ts';
import type { Op } from '../statement.ts';
import { ACCESS_OPERATIONS } from './access/all.ts';
import { appendAudit } from './access/audit.ts';
import { applyCommand } from './change.ts';
import { claim } from './claim.ts';
import type { Dialect, Done } from './dialect.ts';
import { enqueue } from './enqueue.ts';
import { join, leave, renew, takeOver } from './nodes.ts';
import { purge } from './purge.ts';
import { fireSchedule, putSchedule, removeSchedule } from './schedules.ts';
import { SESSION_OPERATIONS } from './sessions/all.ts';
import { APPROVAL_OPERATIONS } from './sessions/approvals/all.ts';
import { STEER_OPERATIONS } from './sessions/steers/all.ts';
import { setStop } from './stop.ts';
import { write } from './write.ts';

/** Every operation that writes, by name: a thread is told names, not functions. */
const WRITING = {
  enqueue,
  claim,
  write,
  change: applyCommand,
  join,
  renew,
  leave,
  takeOver,
  purge,
  putSchedule,
  removeSchedule,
  fireSchedule,
  setStop,
  ...SESSION_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...APPROVAL_OPERATIONS,
  ...STEER_OPERATIONS,
};
type WritingName = keyof typeof WRITING;

export const OPERATIONS = { ...WRITING, audited };

/** Any of them, and the line that tells of it, in one transaction (P6). */
function* audited(
  dialect: Dialect,
  now: number,
  entry: NewAuditEntry,
  name: WritingName,
  rest: readonly unknown[],
): Op<Done<unknown>> {
  const done = yield* operation(name, dialect, now, rest);
  const userId = entry.userId === '' ? (done.who ?? '') : entry.userId;
  if (done.changed !== false) yield* appendAudit(now, { ...entry, userId });
  return done;
}

export type OperationName = keyof typeof OPERATIONS;
type Rest<F> = F extends (dialect: Dialect, now: number, ...rest: infer R) => unknown ? R : never;
export type Arguments<N extends OperationName> = Rest<(typeof OPERATIONS)[N]>;
export type Answer<N extends OperationName> =
  ReturnType<(typeof OPERATIONS)[N]> extends Op<Done<infer T>> ? T : never;

export function operation(
  name: OperationName,
  dialect: Dialect,
  now: number,
  rest: readonly unknown[],
): Op<Done<unknown>> {
  const run = OPERATIONS[name] as (
    dialect: Dialect,
    now: number,
    ...rest: readonly unknown[]
  ) => Op<Done<unknown>>;
  return run(dialect, now, ...rest);
}
