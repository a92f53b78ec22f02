import { setImmediate as turn } from 'node:timers/promises';

/** Masking takes up to 2 µs per character, so this many characters take at most 33 ms. */
export const PIECE = 16 * 1024;

export const isLong = (text: string): boolean => text.length > PIECE;

/** Callers that wait for their turn, by key, in the order of the next round. */
const waiting = new Map<string, (() => void)[]>();
let isServing = false;

/**
 * Lets the node's other work continue before the caller does: resolves in a later turn of the event
 * loop. Every caller gets a turn of its own. Otherwise, all waiting callers would continue in the
 * same turn, and together they could keep the node busy for seconds. Turns go round: whatever one
 * user has waiting, another user waits for only one step of it. `key` is the user's id, or the kind
 * of work if it is nobody's: `agents`, `streams`.
 */
export function giveWay(key: string): Promise<void> {
  return new Promise((resolve) => {
    const line = waiting.get(key);
    if (line === undefined) waiting.set(key, [resolve]);
    else line.push(resolve);
    if (!isServing) void serve();
  });
}

async function serve(): Promise<void> {
  isServing = true;
  while (waiting.size > 0) {
    await turn();
    const [key, line] = waiting.entries().next().value!;
    line.shift()?.();
    // To the end of the round.
    waiting.delete(key);
    if (line.length > 0) waiting.set(key, line);
  }
  isServing = false;
}
