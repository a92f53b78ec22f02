import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../../queue/store.ts';
import type { SendRequest } from '../../sessions/session-store.ts';
import { claimAtOnce } from '../operations/claim.ts';
import { Again, type Dialect, type Done } from '../operations/dialect.ts';
import {
  type Answer,
  type Arguments,
  type OperationName,
  operation,
} from '../operations/registry.ts';
import type { Op } from '../statement.ts';
import { appendOne } from './append-one.ts';
import { enqueueOne } from './enqueue-one.ts';
import { isRetryable, toBatonError } from './errors.ts';
import { inTransaction, runAlone } from './run.ts';
import { sendOne } from './send-one.ts';

/** How many times a transaction that loses a race is tried before its error is thrown. */
export const MOST_TRIES = 8;

/**
 * Operations that are usually a single statement. It commits on its own, which saves the round
 * trips around it. Null or undefined means that the operation must run in a transaction instead.
 */
const AT_ONCE: {
  readonly [N in OperationName]?: (
    dialect: Dialect,
    now: number | null,
    ...rest: Arguments<N>
  ) => Op<Done<Answer<N>> | null> | undefined;
} = {
  enqueue: (_dialect, now, admissions) => enqueueOne(now, admissions),
  claim: claimAtOnce,
  write: (_dialect, now, writes) => appendOne(now, writes),
  sendMessage: (_dialect, now, request) => sendOne(now, request),
  audited: (_dialect, now, entry, name, rest) =>
    name === 'sendMessage' ? sendOne(now, rest[0] as SendRequest, entry) : undefined,
};

/** Runs one operation in one transaction; if it loses a race, it runs again from the start. */
export async function transact<N extends OperationName>(
  pool: pg.Pool,
  dialect: Dialect,
  clock: Clock | undefined,
  name: N,
  rest: Arguments<N>,
): Promise<Done<Answer<N>>> {
  for (let tries = 1; ; tries++) {
    try {
      const atOnce = AT_ONCE[name]?.(dialect, clock?.() ?? null, ...rest);
      const done = atOnce === undefined ? null : await runAlone(pool, atOnce);
      if (done !== null) return done;
      return (await inTransaction(pool, clock, (now) =>
        operation(name, dialect, now, rest),
      )) as Done<Answer<N>>;
    } catch (error) {
      const lostRace = error instanceof Again || isRetryable(error);
      if (!lostRace || tries >= MOST_TRIES) throw toBatonError(error);
      await delay(Math.random() * 10 * tries);
    }
  }
}
