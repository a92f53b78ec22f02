import { temporaryDirectory } from '../support/processes.ts';
import { describeMachine, type MachineFacts, onMachine } from './machine-facts.ts';

/** A machine whose identity is set by the test. */
export class Machine {
  readonly #directory = temporaryDirectory();
  readonly env = onMachine(this.#directory);

  constructor(facts: MachineFacts) {
    this.is(facts);
  }

  is(facts: MachineFacts): void {
    describeMachine(this.#directory, facts);
  }
}
