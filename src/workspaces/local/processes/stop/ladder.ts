import type { Writable } from 'node:stream';
import type { ProcessRow, ProcessTable } from '../process-table.ts';
import type { ProcessTree } from '../process-tree.ts';
import { closeInput } from './close-input.ts';
import { endsWithin } from './ends-within.ts';
import { interrupt } from './interrupt.ts';
import { seemsEmpty } from './is-empty.ts';
import { kill } from './kill.ts';
import { terminate } from './terminate.ts';

/** How long each step may take, in milliseconds. */
export interface Ladder {
  readonly interruptMs: number;
  readonly inputMs: number;
  readonly terminateMs: number;
  readonly killMs: number;
}

/**
 * Together with DRIVER_STOP_MS, these add up to less than the 5 s of Q9, because listing a busy
 * machine's processes takes time.
 */
export const LADDER: Ladder = {
  interruptMs: 1200,
  inputMs: 400,
  terminateMs: 1200,
  killMs: 1200,
};

export interface Stoppable {
  readonly table: ProcessTable;
  readonly tree: ProcessTree;
  readonly root: ProcessRow;
  readonly stdin: Writable;
  readonly exited: Promise<unknown>;
  readonly interrupts: 'process' | 'group';
}

/**
 * Interrupt → close input → SIGTERM → SIGKILL, each for the processes still alive. Once the root
 * has exited, the rest of its tree gets only SIGTERM and SIGKILL. Returns the processes that
 * nothing could stop.
 */
export async function climb(process: Stoppable, ladder: Ladder): Promise<readonly ProcessRow[]> {
  const { table, tree, root, stdin, exited, interrupts } = process;
  if (await endsWithin(exited, 0)) {
    if (seemsEmpty(table, tree)) return [];
  } else {
    // Observes the tree while the process table still shows which process started which.
    tree.observe();
    interrupt(table, root, interrupts);
    if (!(await endsWithin(exited, ladder.interruptMs))) {
      tree.observe();
      closeInput(stdin);
      await endsWithin(exited, ladder.inputMs);
    }
  }
  if (await terminate(table, tree, ladder.terminateMs)) return [];
  return kill(table, tree, ladder.killMs);
}
