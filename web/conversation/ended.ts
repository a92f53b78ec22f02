import type { Session } from '../../src/contract/session.ts';

/** A person ended it; what ended by itself is revived by a message. */
export const hasEnded = ({ status, statusReason }: Session): boolean =>
  status === 'COMPLETED' || (status === 'TERMINATED' && statusReason === 'asked');
