import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { isBatonError } from '../../contract/errors.ts';
import { backoff, withJitter } from '../../contract/functions/growing-wait.ts';
import type { Clock } from '../../queue/store.ts';
import type { Sent } from '../../sessions/session-store.ts';
import { claimAtOnce } from '../operations/claim.ts';
import { Again, type Dialect, type Done } from '../operations/dialect.ts';
import { type Answer, operation, type WriteCall, type WriteName } from '../operations/registry.ts';
import type { Op } from '../statement.ts';
import { appendOne } from './append-one.ts';
import { enqueueOne } from './enqueue-one.ts';
import { isRetryable, toBatonError } from './errors.ts';
import { inTransaction, runAlone } from './run.ts';
import { joinsTheEnd, type Send, sendMessages } from './send-messages.ts';

/** How many times a transaction that loses a race is tried before its error is thrown. */
export const MOST_TRIES = 8;
/** Whoever won the race commits within milliseconds. */
const LOST_RACE = { firstMs: 5, capMs: 40 };

/**
 * Operations that are usually a single statement, which commits on its own and saves the round
 * trips of a transaction. If such an operation returns null, or there is none, the general one must
 * run in a transaction instead. Whether it applies is decided before its first statement, without a
 * connection.
 */
const AT_ONCE: {
  readonly [N in WriteName]?: (
    call: WriteCall<N>,
    dialect: Dialect,
    now: number | null,
  ) => Op<Done<Answer<N>> | null> | undefined;
} = {
  enqueue: ({ args, audit }, _, now) =>
    audit === undefined ? enqueueOne(now, ...args) : undefined,
  claim: ({ args, audit }, dialect, now) =>
    audit === undefined ? claimAtOnce(dialect, now, ...args) : undefined,
  write: ({ args, audit }, _, now) => (audit === undefined ? appendOne(now, ...args) : undefined),
  sendMessage: (call, _, now) => (joinsTheEnd(call) ? sendOne(now, call) : undefined),
};

function* sendOne(now: number | null, call: Send): Op<Done<Sent> | null> {
  return (yield* sendMessages(now, [call]))[0]!;
}

/** Runs one operation in one transaction; if it loses a race, it runs again from the start. */
export async function transact<N extends WriteName>(
  pool: pg.Pool,
  dialect: Dialect,
  clock: Clock | undefined,
  call: WriteCall<N>,
): Promise<Done<Answer<N>>> {
  return untilWon(async () => {
    const atOnce = AT_ONCE[call.name]?.(call, dialect, clock?.() ?? null);
    const done = atOnce === undefined ? null : await runAlone(pool, atOnce);
    if (done !== null) return done;
    return (await inTransaction(pool, clock, (now) => operation(call, dialect, now))) as Done<
      Answer<N>
    >;
  });
}

/**
 * Sends messages to one session in their order: those that the one statement admits are committed
 * together. If the database rejects that statement because of one of them, each is sent alone.
 */
export async function sendTogether(
  pool: pg.Pool,
  dialect: Dialect,
  clock: Clock | undefined,
  sends: readonly Send[],
): Promise<PromiseSettledResult<Done<Sent>>[]> {
  let sent: readonly (Done<Sent> | null)[] = [];
  try {
    sent = await untilWon(() => runAlone(pool, sendMessages(clock?.() ?? null, sends)));
  } catch (reason) {
    if (!isBatonError(reason, 'database_failed')) {
      return sends.map(() => ({ status: 'rejected', reason }));
    }
  }
  const results: PromiseSettledResult<Done<Sent>>[] = [];
  for (const [i, send] of sends.entries()) {
    const [result] = await Promise.allSettled([sent[i] ?? transact(pool, dialect, clock, send)]);
    results.push(result);
  }
  return results;
}

async function untilWon<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const lostRace = error instanceof Again || isRetryable(error);
      if (!lostRace || tries >= MOST_TRIES) throw toBatonError(error);
      await delay(withJitter(backoff(tries, LOST_RACE), Math.random));
    }
  }
}
