import type { IncomingHttpHeaders } from 'node:http';
import { wholeIn } from '../../contract/api/endpoint.ts';
import { BatonError } from '../../contract/errors.ts';
import { parseInput } from '../../queue/parse-input.ts';
import type { LogTarget } from '../../sessions/service.ts';

const Seq = wholeIn(0, Number.MAX_SAFE_INTEGER);

/** Where a reader goes on: a browser that comes again sends `Last-Event-ID`, so that one counts first. */
export function cursorOf(headers: IncomingHttpHeaders, after: number | undefined): number {
  const last = headers['last-event-id'];
  // Empty is what a browser has before the first event.
  if (last === undefined || last === '') return after ?? 0;
  return parseInput(Seq, last, 'Last-Event-ID');
}

/** A cursor from the future would skip what is written meanwhile. */
export function checkCursor(target: LogTarget, after: number): void {
  if (after <= target.lastSeq) return;
  throw new BatonError('cursor_ahead', `The log ends at ${target.lastSeq}, before ${after}.`, {
    details: { lastSeq: target.lastSeq },
  });
}
