import type { Session } from '../../src/contract/session.ts';

/* Whether a session has said something since it was last looked at. */

/** Where its output ends, as a mark that a browser keeps. Looking at it, naming it and holding it are none. */
export const outputMark = ({
  lastOutputAt,
  createdAt,
}: Pick<Session, 'lastOutputAt' | 'createdAt'>): string => lastOutputAt ?? createdAt;

/** `seen` is the mark when it was last in sight here; one that never was is not announced. */
export const isUnread = (
  seen: string | undefined,
  session: Pick<Session, 'lastOutputAt' | 'createdAt'>,
): boolean => seen !== undefined && seen < outputMark(session);
