import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessTable } from '../process-table.ts';
import type { ProcessTree } from '../process-tree.ts';
import { isEmpty } from './is-empty.ts';
import { signal } from './signal.ts';

const CHECK_EVERY_MS = 20;

/** Sends SIGTERM to every member, including new ones; true if all exited in time. */
export async function terminate(
  table: ProcessTable,
  tree: ProcessTree,
  withinMs: number,
): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  const signalled = new Set<string>();
  for (;;) {
    if (await isEmpty(table, tree)) return true;
    if (performance.now() >= deadline) return false;
    for (const row of tree.observe().rows) {
      const name = `${row.pid} ${row.start}`;
      if (!signalled.has(name)) signal(table, row, 'SIGTERM');
      signalled.add(name);
    }
    await sleep(CHECK_EVERY_MS);
  }
}
