import type { LogEvent } from '../../contract/event.ts';
import { toSessionEvent } from '../../contract/session-event.ts';

/*
 * Tails of a lane share their events, so each event and each batch is serialized once, however many
 * readers get it. The result is kept as long as the events are.
 */

/** Roughly how much is written at a time: as much as a socket accepts before it asks us to wait. */
const PIECE_BYTES = 64 * 1024;

/** Consecutive events, ready to be written. */
export interface Piece {
  readonly bytes: Buffer;
  readonly count: number;
  readonly last: LogEvent;
  /** Whether the piece is too large for another event. */
  readonly full: boolean;
}

const texts = new WeakMap<LogEvent, Buffer>();
const pieces = new WeakMap<LogEvent, Piece>();

/** An event as the JSON of the API. */
export function eventText(event: LogEvent): Buffer {
  let text = texts.get(event);
  if (text === undefined) {
    text = Buffer.from(JSON.stringify(toSessionEvent(event)));
    texts.set(event, text);
  }
  return text;
}

/** The events from `start` as server-sent events: at least one, and as many as fit. */
export function eventPiece(events: readonly LogEvent[], start: number): Piece {
  const first = events[start] as LogEvent;
  const cached = pieces.get(first);
  if (cached !== undefined && isPieceOf(cached, events, start)) return cached;
  let text = '';
  let i = start;
  while (i < events.length && text.length < PIECE_BYTES) text += frame(events[i++] as LogEvent);
  const piece = {
    bytes: Buffer.from(text),
    count: i - start,
    last: events[i - 1] as LogEvent,
    full: text.length >= PIECE_BYTES,
  };
  pieces.set(first, piece);
  return piece;
}

/** Consecutive events in a log are identified by the first event, the last event and the count. */
const isPieceOf = (piece: Piece, events: readonly LogEvent[], start: number): boolean =>
  events[start + piece.count - 1] === piece.last &&
  (piece.full || start + piece.count === events.length);

/** JSON text has no line breaks, so it fits on one `data:` line. */
const frame = (event: LogEvent): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(toSessionEvent(event))}\n\n`;
