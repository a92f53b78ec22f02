import { type EventFields, fieldsOf, textIn } from '../../../src/client/fields.ts';
import { typeOf } from '../../../src/contract/events/type-of.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import type { Json } from '../../../src/contract/values/json.ts';

/*
 * Events as the page stores them: the deltas of a text are merged, so that a long response needs
 * no more memory than its text.
 */

/** How much of a growing text is kept; the same as on the server. */
const LIVE_MAX = 128 * 1024;

/** The fields of a delta; merged deltas may have lost their beginning. */
export type DeltaFields = EventFields<'agent.delta'> & { readonly truncated?: Json };

export function lastOf(text: string): { readonly text: string; readonly cut: boolean } {
  return text.length > LIVE_MAX ? { text: text.slice(-LIVE_MAX), cut: true } : { text, cut: false };
}

/** Appends the next event. */
export function append(events: SessionEvent[], event: SessionEvent): void {
  const last = events.at(-1);
  if (typeOf(event) === 'agent.delta' && last !== undefined && isPieceOf(last, event)) {
    const before: DeltaFields = fieldsOf(last.payload);
    const next: DeltaFields = fieldsOf(event.payload);
    const { text, cut } = lastOf(textIn(before, 'text') + textIn(next, 'text'));
    const truncated = cut || before.truncated === true;
    const payload = { text, ...(truncated && { truncated: true }) } satisfies DeltaFields;
    events[events.length - 1] = { ...last, payload };
    return;
  }
  // The message contains the text of its deltas; the first delta keeps its position.
  if (typeOf(event) === 'agent.message' && last !== undefined && isPieceOf(last, event)) {
    events[events.length - 1] = { ...last, payload: { text: '' } satisfies DeltaFields };
  }
  events.push(event);
}

const isPieceOf = (last: SessionEvent, { runId, attempt }: SessionEvent): boolean =>
  typeOf(last) === 'agent.delta' && last.runId === runId && last.attempt === attempt;
