import { baseline } from './0001-baseline.ts';
import { claimTurns } from './0013-claim-turns.ts';
import { sessionLists } from './0014-session-lists.ts';
import { forkColumns } from './0015-fork.ts';
import { admitMessageFunction } from './0016-admit-message.ts';
import { standingColumns } from './0017-standing.ts';
import { pageKeys } from './0018-page-keys.ts';
import { approvalOriginal } from './0019-approval-original.ts';
import { stopTable } from './0020-stop.ts';
import { nodeUrl } from './0021-node-url.ts';
import { hostsTable } from './0022-hosts.ts';
import { formerHostsTable } from './0023-former-hosts.ts';
import { plainNames } from './0026-plain-names.ts';
import { answerStanding } from './0027-answer-standing.ts';
import { notJoined } from './0028-not-joined.ts';
import type { Migration } from './migration.ts';

/**
 * All migrations in order; an entry never changes once released. Migrations 2 to 12 are part of the
 * baseline.
 */
export const MIGRATIONS: readonly Migration[] = [
  baseline,
  claimTurns,
  sessionLists,
  forkColumns,
  admitMessageFunction,
  standingColumns,
  pageKeys,
  approvalOriginal,
  stopTable,
  nodeUrl,
  hostsTable,
  formerHostsTable,
  plainNames,
  answerStanding,
  notJoined,
];
