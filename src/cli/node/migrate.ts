import { mkdir } from 'node:fs/promises';
import { readConfig } from '../../config/config.ts';
import { maskLines } from '../../node/logging.ts';
import { migrateDatabase } from '../../node/migrate.ts';
import { serverMasker } from '../../node/server-masker.ts';
import { printJson, printLine } from '../output/output.ts';
import { createLog } from './log.ts';

export async function migrate(args: string[], json: boolean, stop: AbortSignal): Promise<void> {
  const config = readConfig(args, process.env);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const applied = await migrateDatabase(
    config.database,
    createLog(config.logLevel, maskLines(serverMasker(config, process.env))),
    stop,
  );
  if (json) return printJson({ applied });
  for (const name of applied) printLine(`Applied ${name}`);
  printLine(applied.length === 0 ? 'The database is already up to date.' : 'Done.');
}
