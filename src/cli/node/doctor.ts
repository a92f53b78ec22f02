import { join } from 'node:path';
import { readConfig } from '../../config/config.ts';
import type { Finding } from '../../contract/finding.ts';
import { checkAgents, checkDatabase } from '../../node/doctor.ts';
import { EXIT } from '../command.ts';
import { printJson, printLine } from '../output/output.ts';
import { type Colours, coloursFor } from '../output/style.ts';
import {
  checkDataDirectory,
  checkDisk,
  checkIsolation,
  checkNode,
  checkPort,
  checkSecretFile,
} from './checks.ts';

/** Checks everything that starting requires and suggests fixes; changes nothing. */
export async function doctor(args: string[], json: boolean): Promise<number> {
  const config = readConfig(args, process.env);
  const { dataDir } = config;
  const checks = await Promise.all([
    checkNode(process.versions.node),
    checkDataDirectory(dataDir),
    checkDatabase(config.database),
    checkPort(config),
    checkSecretFile(
      'secret key',
      join(dataDir, 'secret-key'),
      'BATON_SECRET_KEY',
      config.secretKey !== undefined,
    ),
    checkSecretFile(
      'admin token',
      join(dataDir, 'admin-token'),
      'BATON_ADMIN_TOKEN',
      config.adminToken !== undefined,
    ),
    checkAgents(config, process.env),
    checkIsolation(process.env),
    checkDisk(dataDir),
  ]);
  const findings = checks.flat();
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (json) printJson({ healthy: problems === 0, findings });
  else {
    const style = coloursFor(process.stdout, process.env);
    for (const finding of findings) for (const line of show(finding, style)) printLine(line);
    if (problems > 0) printLine(problems === 1 ? '1 problem.' : `${problems} problems.`);
  }
  return problems === 0 ? EXIT.ok : EXIT.failed;
}

function show({ name, state, text, fix }: Finding, style: Colours): string[] {
  const signs = { ok: style.green('✓'), note: style.yellow('!'), problem: style.red('✗') };
  const line = `${signs[state]} ${name.padEnd(15)} ${text}`;
  return fix === undefined ? [line] : [line, `${' '.repeat(18)}→ ${fix}`];
}
