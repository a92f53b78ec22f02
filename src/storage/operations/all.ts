import type { Op } from '../statement.ts';
import { change } from './change.ts';
import { claim } from './claim.ts';
import type { Dialect, Done } from './dialect.ts';
import { enqueue } from './enqueue.ts';
import { join, leave, renew, takeOver } from './nodes.ts';
import { purge } from './purge.ts';
import { fireSchedule, putSchedule, removeSchedule } from './schedules.ts';
import { SESSION_OPERATIONS } from './sessions/all.ts';
import { write } from './write.ts';

/** Every operation that writes, by name: a thread is told names, not functions. */
export const OPERATIONS = {
  enqueue,
  claim,
  write,
  change,
  join,
  renew,
  leave,
  takeOver,
  purge,
  putSchedule,
  removeSchedule,
  fireSchedule,
  ...SESSION_OPERATIONS,
};

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
