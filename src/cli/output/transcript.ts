import { EVENT_PAYLOAD_MAX } from '../../contract/event.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { noteOf, payloadOf } from './event-notes.ts';

/** One thing to show: what the agent said, or a sentence about what happened. */
export type Shown =
  | { readonly kind: 'said'; readonly text: string; readonly stream: 'stdout' | 'stderr' }
  /** The agent has finished saying something. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'note'; readonly text: string; readonly detail: boolean };

/** After these the agent begins anew, or another way; what it said before is not continued. */
const BREAKS = ['run.restarted', 'run.handed_back', 'run.retry_scheduled', 'run.parked', 'done'];

/** No stored message is longer, so a longer beginning need not be kept to compare. */
const KEPT_CHARACTERS = EVENT_PAYLOAD_MAX;

/**
 * Turns the events of a log into what a person reads. What the agent says arrives in pieces and then
 * once more whole; pieces may be missing, because they are removed when the whole is stored. So each
 * message is shown exactly once: by its pieces as they come, the rest when it is there whole.
 */
export class Transcript {
  /** What was shown of messages that are not yet whole, by run. */
  readonly #said = new Map<string, string>();
  readonly #clock: (time: number) => string;

  /** `clock` writes the time of day. */
  constructor(clock: (time: number) => string) {
    this.#clock = clock;
  }

  next(event: SessionEvent): Shown[] {
    const run = event.runId ?? '';
    const delta = payloadOf('agent.delta', event);
    if (delta !== undefined) {
      const said = this.#said.get(run) ?? '';
      if (said.length <= KEPT_CHARACTERS) this.#said.set(run, said + delta.text);
      return [{ kind: 'said', text: delta.text, stream: delta.stream ?? 'stdout' }];
    }
    const message = payloadOf('agent.message', event);
    if (message !== undefined) {
      const rest = restOf(message.text, this.#said.get(run) ?? '');
      this.#said.delete(run);
      return [{ kind: 'said', text: rest, stream: 'stdout' }, { kind: 'pause' }];
    }
    if (BREAKS.includes(event.type)) this.#said.delete(run);
    const note = noteOf(event, this.#clock);
    return note === undefined ? [] : [{ kind: 'note', ...note }];
  }
}

/** What of the whole message was not shown by its pieces. */
function restOf(whole: string, shown: string): string {
  return whole.startsWith(shown) ? whole.slice(shown.length) : '';
}
