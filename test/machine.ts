import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, temporaryDirectory } from './processes.ts';

const preload = pathToFileURL(join(root, 'test', 'fixtures', 'other-machine.mjs')).href;

/** The environment of nodes on the machine that a directory describes (fixtures/other-machine.mjs). */
export const onMachine = (directory: string): Record<string, string> => ({
  TEST_MACHINE: directory,
  NODE_OPTIONS: `--import=${preload}`,
});

export interface MachineFacts {
  readonly 'machine-id'?: string | null;
  readonly 'boot-id'?: string;
  readonly 'pid-namespace'?: string;
  readonly hostname?: string;
}

/** What nodes started from now on take for their machine. */
export function describeMachine(directory: string, facts: MachineFacts): void {
  for (const [name, text] of Object.entries(facts)) {
    if (text === null) rmSync(join(directory, name), { force: true });
    else writeFileSync(join(directory, name), `${text}\n`);
  }
}

/** A machine of which a test says what it is. */
export class Machine {
  readonly directory = temporaryDirectory();
  readonly env = onMachine(this.directory);

  constructor(facts: MachineFacts) {
    this.is(facts);
  }

  is(facts: MachineFacts): void {
    describeMachine(this.directory, facts);
  }
}
