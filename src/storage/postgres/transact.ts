import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../../queue/store.ts';
import { type Answer, type Arguments, type OperationName, operation } from '../operations/all.ts';
import { Again, type Dialect, type Done } from '../operations/dialect.ts';
import { mayGoThroughAgain, toBatonError } from './errors.ts';
import { inTransaction } from './run.ts';

/** How often a transaction that lost a race is run again before the error is told. */
export const MOST_TRIES = 8;

/** Runs one operation in one transaction; one that lost a race runs again from the start. */
export async function transact<N extends OperationName>(
  pool: pg.Pool,
  dialect: Dialect,
  clock: Clock | undefined,
  name: N,
  rest: Arguments<N>,
): Promise<Done<Answer<N>>> {
  for (let tries = 1; ; tries++) {
    try {
      return (await inTransaction(pool, clock, (now) =>
        operation(name, dialect, now, rest),
      )) as Done<Answer<N>>;
    } catch (error) {
      const lostRace = error instanceof Again || mayGoThroughAgain(error);
      if (!lostRace || tries >= MOST_TRIES) throw toBatonError(error);
      await delay(Math.random() * 10 * tries);
    }
  }
}
