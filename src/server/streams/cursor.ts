import type { IncomingHttpHeaders } from 'node:http';
import { wholeIn } from '../../contract/api/endpoint.ts';
import { BatonError } from '../../contract/errors.ts';
import { parseInput } from '../../queue/parse-input.ts';
import type { LogTarget } from '../../sessions/logs/log-service.ts';

const Seq = wholeIn(0, Number.MAX_SAFE_INTEGER);

/**
 * The seq after which a reader continues. A browser that reconnects sends `Last-Event-ID`, so that
 * header takes precedence.
 */
export function cursorOf(headers: IncomingHttpHeaders, after: number | undefined): number {
  const last = headers['last-event-id'];
  // Browsers send an empty header before the first event.
  if (last === undefined || last === '') return after ?? 0;
  return parseInput(Seq, last, 'Last-Event-ID');
}

/** A cursor beyond the end would skip events that are still to come. */
export function checkCursor(target: LogTarget, after: number): void {
  if (after <= target.lastSeq) return;
  throw new BatonError('cursor_ahead', `The log ends at ${target.lastSeq}, before ${after}.`, {
    details: { lastSeq: target.lastSeq },
  });
}
