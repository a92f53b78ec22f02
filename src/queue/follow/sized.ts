import type { LogEvent } from '../../contract/event.ts';

/** An event with its approximate size, measured once and shared by all tails that get it. */
export interface Sized {
  readonly event: LogEvent;
  readonly bytes: number;
}

/** Approximate size of an event without its payload. */
const FRAME_BYTES = 200;

export const sized = (event: LogEvent): Sized => ({
  event,
  bytes: FRAME_BYTES + JSON.stringify(event.payload).length,
});

export const bytesOf = (events: readonly Sized[]): number =>
  events.reduce((sum, { bytes }) => sum + bytes, 0);
