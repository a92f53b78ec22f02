import type { Session } from '../../src/contract/session.ts';
import type { SessionHint } from '../../src/contract/session-event.ts';

/* What hints have told of each session, and what they make old. */

export type Told = Exclude<SessionHint, { all: true }>;

const last = new Map<string, Told>();

/** The last seq that was told, so that an older copy of a session need not be believed. */
export const toldSeq = (id: string): number => last.get(id)?.lastSeq ?? 0;

export interface Old {
  /** Something a list shows; it is in the hint. */
  readonly row: boolean;
  /** More than the hint says. */
  readonly session: boolean;
  readonly approvals: boolean;
  /** What is counted over all sessions. */
  readonly figures: boolean;
}

/**
 * What is old after a hint. An agent at work gives hints all the time, of which most say nothing but
 * that the log has grown: then it is nothing.
 */
export function whatIsOld(before: Told | Session | undefined, hint: Told): Old {
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
  // Told without anything new in the log: something beside it has changed, such as a name.
  const session = hint.updatedAt !== before.updatedAt || hint.lastSeq <= before.lastSeq;
  return {
    row,
    session,
    // One may have been answered and the next one asked.
    approvals: hint.openQuestions > 0 || before.openQuestions > 0,
    figures: session || hint.unfinishedRuns !== before.unfinishedRuns,
  };
}

/** Takes a hint; `known` is the session as the page has it. */
export function take(hint: Told, known: Session | undefined): Old {
  const old = whatIsOld(last.get(hint.sessionId) ?? known, hint);
  last.set(hint.sessionId, hint);
  return old;
}

/** What was told of it is no longer to be compared with: it could not be loaded. */
export const forget = (id: string): void => void last.delete(id);
