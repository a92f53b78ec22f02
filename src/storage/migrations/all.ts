import { BatonError } from '../../contract/errors.ts';
import { queueTables } from './0001-queue.ts';
import { claimFunction } from './0002-claim.ts';
import { scheduleTable } from './0003-schedules.ts';
import { claimRuns } from './0004-claim-runs.ts';
import { sessionTables } from './0005-sessions.ts';
import { sendMessageFunction } from './0006-send-message.ts';
import { accessTables } from './0007-access.ts';
import { approvalTables } from './0008-approvals.ts';
import { costTables } from './0009-cost.ts';
import { steerTable } from './0010-steers.ts';
import { attachmentTable } from './0011-attachments.ts';
import { lastOutput } from './0012-last-output.ts';
import { claimTurns } from './0013-claim-turns.ts';
import { sessionLists } from './0014-session-lists.ts';
import { forkColumns } from './0015-fork.ts';
import { admitMessageFunction } from './0016-admit-message.ts';
import { standingColumns } from './0017-standing.ts';
import { pageKeys } from './0018-page-keys.ts';
import { approvalOriginal } from './0019-approval-original.ts';
import { stopTable } from './0020-stop.ts';
import type { Migration } from './migration.ts';

/** In order; an entry never changes once released. */
export const MIGRATIONS: readonly Migration[] = [
  queueTables,
  claimFunction,
  scheduleTable,
  claimRuns,
  sessionTables,
  sendMessageFunction,
  accessTables,
  approvalTables,
  costTables,
  steerTable,
  attachmentTable,
  lastOutput,
  claimTurns,
  sessionLists,
  forkColumns,
  admitMessageFunction,
  standingColumns,
  pageKeys,
  approvalOriginal,
  stopTable,
];

export const CREATE_MIGRATIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS migrations (id integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)';

/** What is still to be done, given what the database says was done; refuses a newer database (O3). */
export function pending(
  applied: readonly { readonly id: number; readonly name: string }[],
  known = MIGRATIONS,
): readonly Migration[] {
  for (const { id, name } of applied) {
    const ours = known.find((migration) => migration.id === id);
    if (ours?.name !== name) {
      throw new BatonError(
        'database_newer',
        `The database has migration ${id} (${name}), which this version of Baton does not know. Use the version that made it, or a newer one.`,
        { details: { migration: id, name } },
      );
    }
  }
  const done = new Set(applied.map(({ id }) => id));
  return known.filter(({ id }) => !done.has(id));
}
