import type { Config } from '../config/config.ts';
import { DRIVEN_KINDS } from '../contract/agent-kinds.ts';
import { type BatonError, isBatonError } from '../contract/errors.ts';
import type { Finding } from '../contract/finding.ts';
import { processTable } from '../workspaces/local/processes/process-table.ts';
import { parseTag } from '../workspaces/local/processes/tag.ts';
import { agentProbe } from './agent-probes.ts';
import { type DatabaseProbe, probeDatabase } from './database-probe.ts';

/** Checks the database, and looks for anything that dead nodes left behind. Changes nothing. */
export async function checkDatabase(database: Config['database']): Promise<Finding[]> {
  const what = database.kind === 'sqlite' ? database.path : 'PostgreSQL';
  try {
    const probe = await probeDatabase(database);
    return [schemaFinding(what, probe), ...leftoverFinding(probe), ...addressFinding(probe)];
  } catch (error) {
    if (!isBatonError(error)) throw error;
    return [problem(what, error)];
  }
}

function schemaFinding(what: string, { applied, pending }: DatabaseProbe): Finding {
  const name = 'database';
  if (pending.length === 0) {
    return { name, state: 'ok', text: `${what}: up to date, ${applied.length} migrations` };
  }
  const text =
    applied.length === 0
      ? `${what}: not set up yet`
      : `${what}: ${pending.length} migrations are pending`;
  return { name, state: 'note', text, fix: 'the next start applies them, or run "baton migrate"' };
}

function leftoverFinding({ installation, liveNodes }: DatabaseProbe): Finding[] {
  if (installation === null) return [];
  const name = 'leftovers';
  const table = processTable();
  const left = table.list().filter(({ pid, ended }) => {
    const tag = ended ? null : parseTag(table.tagOf(pid) ?? '');
    return tag !== null && tag.installation === installation && !liveNodes.has(tag.node);
  });
  if (left.length === 0) return [{ name, state: 'ok', text: 'no leftover agent processes' }];
  const pids = left.map(({ pid }) => pid).join(', ');
  const text = `${left.length} agent processes have outlived their node: ${pids}`;
  return [{ name, state: 'note', text, fix: 'the next worker that starts here will stop them' }];
}

function addressFinding({ unreachable }: DatabaseProbe): Finding[] {
  if (unreachable.length === 0) return [];
  const text = `nodes on other hosts cannot reach: ${unreachable.join(', ')}`;
  const fix = 'set BATON_NODE_URL on their nodes to a URL that the other hosts can reach';
  return [{ name: 'node addresses', state: 'note', text, fix }];
}

const FIXES: Partial<Record<BatonError['code'], string>> = {
  database_newer: 'use the version of Baton that created it, or a newer one',
  database_outdated: 'start Baton once at commit 308c277, or use an empty database',
  database_unreachable: 'start the database server, or correct BATON_DATABASE_URL',
  database_refused: 'correct the user, password and database name in BATON_DATABASE_URL',
  database_corrupt: 'restore a backup, or choose another file with --database',
  database_read_only: 'make the file and its directory readable and writable by your user',
};

const problem = (what: string, { code, message }: BatonError): Finding => ({
  name: 'database',
  state: 'problem',
  text: `${what}: ${message}`,
  fix: FIXES[code] ?? 'correct what the message describes',
});

/** Checks the agents as this machine would run them. Does not use the network. */
export async function checkAgents(
  config: Pick<Config, 'claudePath' | 'agentEnv'>,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const probes = await Promise.all(DRIVEN_KINDS.map(agentProbe(config, env)));
  return probes.flatMap(({ findings }) => findings);
}
