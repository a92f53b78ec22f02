import { OLDEST_VERSION } from '../agents/claude/version.ts';
import { processTable } from '../agents/process-table.ts';
import { parseTag } from '../agents/tag.ts';
import type { Config } from '../config/config.ts';
import { type BatonError, isBatonError } from '../contract/errors.ts';
import { type ClaudeProbe, probeClaude } from './claude-probe.ts';
import { type DatabaseProbe, probeDatabase } from './database-probe.ts';

/** The result of one check, and how to fix the problem. */
export interface Finding {
  readonly name: string;
  /** A note is something worth knowing; a problem prevents Baton from working. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly text: string;
  readonly fix?: string;
}

/** Checks the database, and for anything its dead nodes left behind. Changes nothing. */
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
  return { name, state: 'note', text, fix: 'the next start applies them; or run "baton migrate"' };
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
  return [{ name, state: 'note', text, fix: 'the next worker that starts here stops them' }];
}

function addressFinding({ unreachable }: DatabaseProbe): Finding[] {
  if (unreachable.length === 0) return [];
  const text = `nodes on other hosts cannot reach: ${unreachable.join(', ')}`;
  const fix = 'set BATON_NODE_URL on their nodes to a URL that the others can open';
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
  fix: FIXES[code] ?? 'see the message',
});

const SHELL_WORKS = 'the shell agent works without it';

/** Returns only notes, because other agents work without it. Does not use the network. */
export async function checkClaude(
  config: Pick<Config, 'claudePath' | 'agentEnv'>,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const name = 'agent claude';
  const probe = await probeClaude(config, env);
  const { program, version, fix } = probe;
  const note = (text: string, advice = fix): Finding[] => [
    { name, state: 'note', text, ...(advice === null ? {} : { fix: advice }) },
  ];
  switch (probe.problem) {
    case 'not_installed':
      return note('Claude Code is not installed', `${fix}; ${SHELL_WORKS}`);
    case 'does_not_run':
      return note(`${program} does not run`, `${fix}; ${SHELL_WORKS}`);
    case 'too_old':
      return note(`${program} is ${version}, but Baton needs ${OLDEST_VERSION} or newer`);
    default:
      return [{ name, state: 'ok', text: `${program}, ${version}` }, loginFinding(probe)];
  }
}

function loginFinding({ login, problem, fix }: ClaudeProbe): Finding {
  const name = 'claude login';
  if (login !== null) {
    const text = 'key' in login ? `${login.key} is set for agents` : `signed in (${login.file})`;
    return { name, state: 'ok', text };
  }
  if (fix === null) {
    return { name, state: 'note', text: 'no key is set; a login may be in the Keychain' };
  }
  const text =
    problem === 'key_hidden'
      ? 'a key is set, but agents cannot see it'
      : 'no key is set, and Claude Code is not signed in';
  return { name, state: 'note', text, fix };
}
