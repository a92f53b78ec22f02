import { temporaryDirectory } from '../support/processes.ts';
import { describeMachine, type MachineFacts, onMachine } from './machine-facts.ts';

/** A machine of which a test says what it is. */
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
