import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Turn } from '../driver.ts';
import type { Dialogue } from './dialogue.ts';

/** Passes messages to an agent that is working, until `end` is called (Q11). */
export class Steering {
  readonly #messages: AsyncIterator<string> | undefined;
  #ended = false;

  constructor(messages: Turn['steer'], dialogue: Dialogue) {
    this.#messages = messages?.[Symbol.asyncIterator]();
    if (this.#messages !== undefined) void this.#pass(this.#messages, dialogue).catch(() => {});
  }

  /** Passes on a message that has already arrived. */
  async flush(): Promise<void> {
    if (this.#messages !== undefined) await turnOfLoop();
  }

  /** Stops accepting messages, and informs their source through `return`. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    void Promise.resolve(this.#messages?.return?.()).catch(() => {});
  }

  async #pass(messages: AsyncIterator<string>, dialogue: Dialogue): Promise<void> {
    for (;;) {
      const { done, value } = await messages.next();
      if (done === true || this.#ended) return;
      dialogue.steer(value);
    }
  }
}
