import type { LogEvent } from '../../contract/event.ts';

/** An event and about how many bytes it takes: measured once, shared by all tails it goes to. */
export interface Sized {
  readonly event: LogEvent;
  readonly bytes: number;
}

/** The rest of an event beside its payload. */
const FRAME_BYTES = 200;

export const sized = (event: LogEvent): Sized => ({
  event,
  bytes: FRAME_BYTES + JSON.stringify(event.payload).length,
});

export const bytesOf = (events: readonly Sized[]): number =>
  events.reduce((sum, { bytes }) => sum + bytes, 0);
