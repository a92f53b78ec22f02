import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/* Fakes the identity of the machine for nodes, without touching the real one (fixtures/other-machine.mjs). */

const preload = new URL('../fixtures/other-machine.mjs', import.meta.url).href;

/** The environment of nodes on the machine that the directory describes. */
export const onMachine = (directory: string): Record<string, string> => ({
  TEST_MACHINE: directory,
  NODE_OPTIONS: `--import=${preload}`,
});

export interface MachineFacts {
  /** Null for no machine-id. */
  readonly 'machine-id'?: string | null;
  readonly 'boot-id'?: string;
  readonly 'pid-namespace'?: string;
  readonly hostname?: string;
}

/** Changes the machine for nodes that start from now on. */
export function describeMachine(directory: string, facts: MachineFacts): void {
  for (const [name, text] of Object.entries(facts)) {
    if (text === null) rmSync(join(directory, name), { force: true });
    else writeFileSync(join(directory, name), `${text}\n`);
  }
}
