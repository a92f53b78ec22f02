import type { Session } from '../../src/contract/session.ts';

/* Whether a session has new output since it was last viewed. */

/** Identifies the end of the session's output. Viewing, renaming and holding do not change it. */
export const outputEnd = ({
  lastOutputAt,
  createdAt,
}: Pick<Session, 'lastOutputAt' | 'createdAt'>): string => lastOutputAt ?? createdAt;

/**
 * `seen` is the value from when the session was last viewed here; a session that was never viewed
 * is not unread.
 */
export const isUnread = (
  seen: string | undefined,
  session: Pick<Session, 'lastOutputAt' | 'createdAt'>,
): boolean => seen !== undefined && seen < outputEnd(session);
