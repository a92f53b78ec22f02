import type { Session } from '../../src/contract/session.ts';

/** Whether a user ended the session; a session that ended on its own is reopened by a message. */
export const hasEnded = ({ status, statusReason }: Session): boolean =>
  status === 'COMPLETED' || (status === 'TERMINATED' && statusReason === 'asked');
