import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRow, ProcessTable } from '../process-table.ts';
import type { Family } from '../process-tree.ts';
import { closeInput } from './close-input.ts';
import { interrupt } from './interrupt.ts';
import { looksEmpty } from './is-empty.ts';
import { kill } from './kill.ts';
import { terminate } from './terminate.ts';

/** How long each rung may take, in milliseconds. */
export interface Ladder {
  readonly interruptMs: number;
  readonly inputMs: number;
  readonly terminateMs: number;
  readonly killMs: number;
}

/** What a driver may take before the ladder, to tell its agent in its own words. */
export const WORDS_MS = 600;

/** With those words less than the 5 s of Q9 in all: looking at a busy machine's processes takes time. */
export const LADDER: Ladder = {
  interruptMs: 1200,
  inputMs: 400,
  terminateMs: 1200,
  killMs: 1200,
};

export interface Stoppable {
  readonly table: ProcessTable;
  readonly family: Family;
  readonly root: ProcessRow;
  readonly stdin: Writable;
  readonly exited: Promise<unknown>;
  readonly interrupts: 'process' | 'group';
}

/**
 * Interrupt → close input → SIGTERM → SIGKILL, each for those who are left. Once the process itself
 * has ended, what it left behind gets the last two. Gives those whom nothing could stop.
 */
export async function climb(process: Stoppable, ladder: Ladder): Promise<readonly ProcessRow[]> {
  const { table, family, root, stdin, exited, interrupts } = process;
  const endsWithin = async (ms: number): Promise<boolean> => {
    const waiting = new AbortController();
    const late = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
    const ended = await Promise.race([exited.then(() => true), late]);
    waiting.abort();
    return ended;
  };
  if (await endsWithin(0)) {
    if (looksEmpty(table, family)) return [];
  } else {
    // While parents can still be told from the process table.
    family.look();
    interrupt(table, root, interrupts);
    if (!(await endsWithin(ladder.interruptMs))) {
      family.look();
      closeInput(stdin);
      await endsWithin(ladder.inputMs);
    }
  }
  if (await terminate(table, family, ladder.terminateMs)) return [];
  return kill(table, family, ladder.killMs);
}
