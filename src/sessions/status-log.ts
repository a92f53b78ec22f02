import type { Logger } from '../queue/logger.ts';
import type { StatusChange } from './session-store.ts';

/** Logs one structured line per status change (S1). */
export function logChanges(log: Logger, changes: readonly StatusChange[]): void {
  for (const change of changes) log.info({ ...change }, 'Session status changed');
}
