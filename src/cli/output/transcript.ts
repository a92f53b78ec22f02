import { EVENT_PAYLOAD_MAX } from '../../contract/event.ts';
import { type EventType, payloadOf } from '../../contract/events/table.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { noteOf } from './event-notes.ts';

/** One item to show: agent text, or a note about an event. */
export type TranscriptItem =
  | { readonly kind: 'text'; readonly text: string; readonly stream: 'stdout' | 'stderr' }
  /** The agent has finished a message. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'note'; readonly text: string; readonly detail: boolean };

/** After these events, the agent starts over; its earlier text is not continued. */
const BREAKS: ReadonlySet<string> = new Set<EventType>([
  'run.restarted',
  'run.handed_back',
  'run.retry_scheduled',
  'run.parked',
  'done',
]);

/** No stored message is longer, so no more text needs to be kept for the comparison. */
const KEPT_CHARACTERS = EVENT_PAYLOAD_MAX;

/**
 * Turns the events of a log into what a person reads. Agent text arrives in pieces, and then again as
 * a whole message; pieces may be missing, because they are removed once the message is stored. Each
 * message is shown exactly once: its pieces as they arrive, then the part they did not cover.
 */
export class Transcript {
  /** For each run, the part of its unfinished message that has been shown so far. */
  readonly #shown = new Map<string, string>();
  readonly #clock: (time: number) => string;

  /** `clock` formats the time of day. */
  constructor(clock: (time: number) => string) {
    this.#clock = clock;
  }

  next(event: SessionEvent): TranscriptItem[] {
    const run = event.runId ?? '';
    const delta = payloadOf('agent.delta', event);
    if (delta !== undefined) {
      const shown = this.#shown.get(run) ?? '';
      if (shown.length <= KEPT_CHARACTERS) this.#shown.set(run, shown + delta.text);
      return [{ kind: 'text', text: delta.text, stream: delta.stream ?? 'stdout' }];
    }
    const message = payloadOf('agent.message', event);
    if (message !== undefined) {
      const rest = restOf(message.text, this.#shown.get(run) ?? '');
      this.#shown.delete(run);
      return [{ kind: 'text', text: rest, stream: 'stdout' }, { kind: 'pause' }];
    }
    if (BREAKS.has(event.type)) this.#shown.delete(run);
    const note = noteOf(event, this.#clock);
    return note === undefined ? [] : [{ kind: 'note', ...note }];
  }
}

/** The part of a message that its pieces did not show. */
function restOf(whole: string, shown: string): string {
  return whole.startsWith(shown) ? whole.slice(shown.length) : '';
}
