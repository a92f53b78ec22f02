import type { SessionEvent } from '../../../src/contract/session-event.ts';
import { fieldsOf, textIn } from './fields.ts';

/*
 * Events as the page stores them: the deltas of a text are merged, so that a long answer needs no
 * more memory than its text.
 */

/** How much of a growing text is kept; the same as on the server. */
const LIVE_MAX = 128 * 1024;

export function lastOf(text: string): { readonly text: string; readonly cut: boolean } {
  return text.length > LIVE_MAX ? { text: text.slice(-LIVE_MAX), cut: true } : { text, cut: false };
}

/** Appends the next event. */
export function append(events: SessionEvent[], event: SessionEvent): void {
  const last = events.at(-1);
  if (event.type === 'agent.delta' && last !== undefined && isPieceOf(last, event)) {
    const before = fieldsOf(last.payload);
    const { text, cut } = lastOf(textIn(before, 'text') + textIn(fieldsOf(event.payload), 'text'));
    const truncated = cut || before['truncated'] === true;
    events[events.length - 1] = { ...last, payload: { text, ...(truncated && { truncated }) } };
    return;
  }
  // The message contains the deltas; the first one keeps its position.
  if (event.type === 'agent.message' && last !== undefined && isPieceOf(last, event)) {
    events[events.length - 1] = { ...last, payload: { text: '' } };
  }
  events.push(event);
}

const isPieceOf = (last: SessionEvent, { runId, attempt }: SessionEvent): boolean =>
  last.type === 'agent.delta' && last.runId === runId && last.attempt === attempt;
