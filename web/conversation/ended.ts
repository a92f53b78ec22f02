import type { Session } from '../../src/contract/session.ts';

/** Ended by a user; a session that ended by itself is reopened by a message. */
export const hasEnded = ({ status, statusReason }: Session): boolean =>
  status === 'COMPLETED' || (status === 'TERMINATED' && statusReason === 'asked');
