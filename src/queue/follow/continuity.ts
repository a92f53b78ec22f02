import type { LogEvent } from '../../contract/event.ts';

/** How far a lane's log has been read. */
export interface Position {
  /** Everything up to this seq has been read or is known to have been removed. */
  readonly head: number;
  /** This seq was known to have been assigned before the read began. */
  readonly proven: number;
}

export interface Advance extends Position {
  readonly events: readonly LogEvent[];
  /**
   * Whether to read again immediately, because the page was full or ended at an unexplained gap.
   */
  readonly more: boolean;
  /** Removed events were skipped. */
  readonly skipped: boolean;
}

/**
 * Accepts a page of a lane's log without losing events. A lane's events become visible in seq
 * order, so a gap before a seq that was proven before the read began can only be a removed event.
 * Any other gap is not skipped but read again; by then, the seq after it is proven.
 */
export function advance(from: Position, page: readonly LogEvent[], full: boolean): Advance {
  let { head } = from;
  let skipped = false;
  for (const [i, { seq }] of page.entries()) {
    if (seq !== head + 1) {
      if (seq - 1 > from.proven) {
        const proven = (page.at(-1) as LogEvent).seq;
        return { events: page.slice(0, i), head, proven, more: true, skipped };
      }
      skipped = true;
    }
    head = seq;
  }
  const proven = Math.max(from.proven, head);
  if (full) return { events: page, head, proven, more: true, skipped };
  // Nothing followed the page, so any proven events after it have been removed.
  return { events: page, head: proven, proven, more: false, skipped: skipped || proven > head };
}
