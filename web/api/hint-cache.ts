import type { Session } from '../../src/contract/session.ts';
import type { SessionHint } from '../../src/contract/session-event.ts';

/* The latest hint about each session, and what a new one invalidates. */

export type SingleHint = Exclude<SessionHint, { all: true }>;

const last = new Map<string, SingleHint>();

/** The last seq seen in a hint; an older copy of a session is outdated. */
export const lastHintSeq = (id: string): number => last.get(id)?.lastSeq ?? 0;

export interface Invalidated {
  /** Something that lists show has changed, and the hint contains the change. */
  readonly row: boolean;
  /** More has changed than the hint contains. */
  readonly session: boolean;
  readonly approvals: boolean;
  /** Totals for all sessions. */
  readonly figures: boolean;
}

/**
 * What a hint invalidates. A working agent causes hints all the time; most only say that the log
 * has grown, and those invalidate nothing.
 */
export function invalidatedBy(
  before: SingleHint | Session | undefined,
  hint: SingleHint,
): Invalidated {
  if (before === undefined) {
    return { row: false, session: true, approvals: hint.openQuestions > 0, figures: true };
  }
  const row =
    hint.status !== before.status ||
    hint.held !== before.held ||
    hint.delayedUntil !== before.delayedUntil ||
    hint.unfinishedRuns !== before.unfinishedRuns ||
    hint.openQuestions !== before.openQuestions ||
    hint.lastActiveAt !== before.lastActiveAt;
  // A hint without new events means that something outside the log has changed, such as the name.
  const session = hint.updatedAt !== before.updatedAt || hint.lastSeq <= before.lastSeq;
  return {
    row,
    session,
    // One question may have been answered and another asked.
    approvals: hint.openQuestions > 0 || before.openQuestions > 0,
    figures: session || hint.unfinishedRuns !== before.unfinishedRuns,
  };
}

/** Records a hint; `known` is the session as this page knows it. */
export function recordHint(hint: SingleHint, known: Session | undefined): Invalidated {
  const old = invalidatedBy(last.get(hint.sessionId) ?? known, hint);
  last.set(hint.sessionId, hint);
  return old;
}

/** Forgets the last hint about a session that could not be loaded. */
export const forget = (id: string): void => void last.delete(id);
