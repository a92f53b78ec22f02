import type { Config } from './cli/config.ts';
import { isBatonError } from './contract/errors.ts';
import { lookAtDatabase } from './database-look.ts';

/** What the doctor found about one thing, and how to mend it. */
export interface Finding {
  readonly name: string;
  /** A note is worth knowing; a problem keeps Baton from working. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly text: string;
  readonly fix?: string;
}

/** Whether the database opens and its schema fits this version. Changes nothing. */
export async function checkDatabase(database: Config['database']): Promise<Finding> {
  const name = 'database';
  const what = database.kind === 'sqlite' ? database.path : 'PostgreSQL';
  try {
    const { applied, pending } = await lookAtDatabase(database);
    if (pending.length === 0) {
      return { name, state: 'ok', text: `${what}: up to date, ${applied.length} migrations` };
    }
    const text =
      applied.length === 0
        ? `${what}: not set up yet`
        : `${what}: ${pending.length} migrations are to be applied`;
    return { name, state: 'note', text, fix: 'the next start does it; or run "baton migrate"' };
  } catch (error) {
    if (!isBatonError(error)) throw error;
    const fixes: Partial<Record<typeof error.code, string>> = {
      database_newer: 'use the version of Baton that made it, or a newer one',
      database_unreachable: 'start the database server, or correct BATON_DATABASE_URL',
      database_refused: 'correct user, password and database name in BATON_DATABASE_URL',
      database_corrupt: 'restore a backup, or name another file with --database',
      database_read_only: 'make the file and its directory readable and writable for your user',
    };
    const fix = fixes[error.code] ?? 'see the message';
    return { name, state: 'problem', text: `${what}: ${error.message}`, fix };
  }
}
