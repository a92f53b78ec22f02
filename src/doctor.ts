import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findClaude } from './agents/claude/program.ts';
import { INSTALL, isTooOld, OLDEST_VERSION } from './agents/claude/version.ts';
import { agentEnvironment } from './agents/environment.ts';
import { parseMark } from './agents/mark.ts';
import { processTable } from './agents/process-table.ts';
import type { Config } from './cli/config.ts';
import { type BatonError, isBatonError } from './contract/errors.ts';
import { type DatabaseLook, lookAtDatabase } from './database-look.ts';

/** What the doctor found about one thing, and how to mend it. */
export interface Finding {
  readonly name: string;
  /** A note is worth knowing; a problem keeps Baton from working. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly text: string;
  readonly fix?: string;
}

/** The database, and what agents of its dead nodes left running. Changes nothing. */
export async function checkDatabase(database: Config['database']): Promise<Finding[]> {
  const what = database.kind === 'sqlite' ? database.path : 'PostgreSQL';
  try {
    const look = await lookAtDatabase(database);
    return [schemaFinding(what, look), ...leftoverFinding(look)];
  } catch (error) {
    if (!isBatonError(error)) throw error;
    return [problem(what, error)];
  }
}

function schemaFinding(what: string, { applied, pending }: DatabaseLook): Finding {
  const name = 'database';
  if (pending.length === 0) {
    return { name, state: 'ok', text: `${what}: up to date, ${applied.length} migrations` };
  }
  const text =
    applied.length === 0
      ? `${what}: not set up yet`
      : `${what}: ${pending.length} migrations are to be applied`;
  return { name, state: 'note', text, fix: 'the next start does it; or run "baton migrate"' };
}

function leftoverFinding({ installation, liveNodes }: DatabaseLook): Finding[] {
  if (installation === null) return [];
  const name = 'leftovers';
  const table = processTable();
  const left = table.list().filter(({ pid, ended }) => {
    const mark = ended ? null : parseMark(table.markOf(pid) ?? '');
    return mark !== null && mark.installation === installation && !liveNodes.has(mark.node);
  });
  if (left.length === 0) return [{ name, state: 'ok', text: 'no agent has outlived its node' }];
  const pids = left.map(({ pid }) => pid).join(', ');
  const text = `${left.length} processes of agents have outlived their node: ${pids}`;
  return [{ name, state: 'note', text, fix: 'the next start of a worker here stops them' }];
}

const FIXES: Partial<Record<BatonError['code'], string>> = {
  database_newer: 'use the version of Baton that made it, or a newer one',
  database_unreachable: 'start the database server, or correct BATON_DATABASE_URL',
  database_refused: 'correct user, password and database name in BATON_DATABASE_URL',
  database_corrupt: 'restore a backup, or name another file with --database',
  database_read_only: 'make the file and its directory readable and writable for your user',
};

const problem = (what: string, { code, message }: BatonError): Finding => ({
  name: 'database',
  state: 'problem',
  text: `${what}: ${message}`,
  fix: FIXES[code] ?? 'see the message',
});

const run = promisify(execFile);
/** It starts in a second; on a busy machine it takes longer. */
const VERSION_MS = 20_000;
const SHELL_WORKS = 'the agent shell works without';

/** Notes only: other agents work without it. Nothing here calls the network. */
export async function checkClaude(
  { claudePath, agentEnv }: Pick<Config, 'claudePath' | 'agentEnv'>,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const name = 'agent claude';
  const seen = agentEnvironment(env, agentEnv);
  const program = await findClaude(claudePath, env);
  if (program === null) {
    const fix = `${INSTALL}, then sign in; or set BATON_CLAUDE_PATH; ${SHELL_WORKS}`;
    return [{ name, state: 'note', text: 'Claude Code is not installed', fix }];
  }
  const version = await versionOf(program, seen);
  if (version === null) {
    const fix = `correct BATON_CLAUDE_PATH, or install it again (${INSTALL}); ${SHELL_WORKS}`;
    return [{ name, state: 'note', text: `${program} does not run`, fix }];
  }
  if (isTooOld(version)) {
    const text = `${program} is ${version}, and ${OLDEST_VERSION} or newer is needed`;
    return [{ name, state: 'note', text, fix: INSTALL }];
  }
  return [{ name, state: 'ok', text: `${program}, ${version}` }, await loginFinding(seen, env)];
}

async function versionOf(program: string, env: Record<string, string>): Promise<string | null> {
  const quiet = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const options = { env: { ...env, ...quiet }, timeout: VERSION_MS };
  const said = await run(program, ['--version'], options).catch(() => null);
  return /\d+\.\d+\.\d+/.exec(said?.stdout ?? '')?.[0] ?? null;
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/** What can be known without asking anybody: that there is a key or a login, not that it is good. */
async function loginFinding(
  seen: Record<string, string>,
  env: NodeJS.ProcessEnv,
): Promise<Finding> {
  const name = 'claude login';
  const key = KEYS.find((each) => (seen[each] ?? '') !== '');
  if (key !== undefined) return { name, state: 'ok', text: `${key} is set for agents` };
  const folder = seen['CLAUDE_CONFIG_DIR'] ?? join(seen['HOME'] ?? homedir(), '.claude');
  const file = join(folder, '.credentials.json');
  if (
    await access(file, constants.R_OK).then(
      () => true,
      () => false,
    )
  ) {
    return { name, state: 'ok', text: `signed in (${file})` };
  }
  const hidden = KEYS.find((each) => (env[each] ?? '') !== '');
  if (hidden !== undefined) {
    const text = `${hidden} is set, but agents do not see it`;
    return { name, state: 'note', text, fix: `add ${hidden} to BATON_AGENT_ENV` };
  }
  if (process.platform === 'darwin') {
    return { name, state: 'note', text: 'no key is set; a login may be in the Keychain' };
  }
  const fix = 'run "claude" as this user and sign in, or set ANTHROPIC_API_KEY for the server';
  return { name, state: 'note', text: 'no key is set and nobody is signed in', fix };
}
