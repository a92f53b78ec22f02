import { SessionStatus, type StatusReason } from '../../contract/session.ts';

/** The words of the web app, in lower case; `--json` keeps the API's words. */
export const STATUS_WORDS: Record<SessionStatus, string> = {
  PENDING: 'preparing',
  ACTIVE: 'ready',
  IDLE: 'idle',
  ERROR: 'error',
  COMPLETED: 'closed',
  TERMINATED: 'stopped',
};

export const REASON_WORDS: Record<StatusReason, string> = {
  created: 'created',
  ready: 'workspace ready',
  message: 'message received',
  connected: 'opened by a user',
  quiet: 'no viewers, nothing running',
  idle: 'idle time elapsed',
  asked: 'requested by a user',
  orphan: 'workspace missing',
  reopened: 'reopened',
  retried: 'workspace preparation retried',
  failed: 'workspace preparation failed',
};

/** Accepts both vocabularies, since people copy a status from a list or from the API. */
export function statusNamed(word: string): string {
  const status = SessionStatus.options.find((each) => STATUS_WORDS[each] === word.toLowerCase());
  return status ?? word.toUpperCase();
}
