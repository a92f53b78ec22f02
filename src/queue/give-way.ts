import { setImmediate as turn } from 'node:timers/promises';

/** Masking takes up to 2 µs per character, so this many characters take at most 33 ms. */
export const PIECE = 16 * 1024;

export const isLong = (text: string): boolean => text.length > PIECE;

/** The last turn that has been given to a caller. */
let last: Promise<void> = Promise.resolve();

/**
 * Lets the node's other work continue before the caller does: resolves in a later turn of the event
 * loop. Every caller gets a turn of its own. Otherwise, all waiting callers would continue in the
 * same turn, and together they could keep the node busy for seconds.
 */
export function giveWay(): Promise<void> {
  last = last.then(() => turn());
  return last;
}
