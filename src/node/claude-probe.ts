import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findClaude } from '../agents/claude/program.ts';
import { INSTALL, isTooOld } from '../agents/claude/version.ts';
import { agentEnvironment } from '../agents/environment.ts';
import type { Config } from '../config/config.ts';
import type { AgentProblem } from '../contract/agent.ts';

/** The state of Claude Code on this machine, as an agent would see it. */
export interface ClaudeProbe {
  readonly program: string | null;
  readonly version: string | null;
  readonly problem: AgentProblem | null;
  /** Which credential agents would use: an environment variable, a file, or null if unknown. */
  readonly login: { readonly key: string } | { readonly file: string } | null;
  readonly fix: string | null;
}

const run = promisify(execFile);
/** It starts within a second, but a busy machine needs longer. */
const VERSION_MS = 20_000;

/**
 * Checks locally, without using the network: it can see that there is a key or a login, but not
 * whether it is valid.
 */
export async function probeClaude(
  { claudePath, agentEnv }: Pick<Config, 'claudePath' | 'agentEnv'>,
  env: NodeJS.ProcessEnv,
): Promise<ClaudeProbe> {
  const environment = agentEnvironment(env, agentEnv);
  const program = await findClaude(claudePath, env);
  const none = { program, version: null, login: null };
  if (program === null) {
    const fix = `${INSTALL}, then sign in; or set BATON_CLAUDE_PATH`;
    return { ...none, problem: 'not_installed', fix };
  }
  const version = await versionOf(program, environment);
  if (version === null) {
    const fix = `correct BATON_CLAUDE_PATH, or install it again (${INSTALL})`;
    return { ...none, problem: 'does_not_run', fix };
  }
  if (isTooOld(version)) return { ...none, version, problem: 'too_old', fix: INSTALL };
  return { program, version, ...(await probeLogin(environment, env)) };
}

async function versionOf(program: string, env: Record<string, string>): Promise<string | null> {
  const quiet = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const options = { env: { ...env, ...quiet }, timeout: VERSION_MS };
  const output = await run(program, ['--version'], options).catch(() => null);
  return /\d+\.\d+\.\d+/.exec(output?.stdout ?? '')?.[0] ?? null;
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

async function probeLogin(
  environment: Record<string, string>,
  env: NodeJS.ProcessEnv,
): Promise<Pick<ClaudeProbe, 'problem' | 'login' | 'fix'>> {
  const good = { problem: null, fix: null };
  const key = KEYS.find((each) => (environment[each] ?? '') !== '');
  if (key !== undefined) return { ...good, login: { key } };
  const folder =
    environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? homedir(), '.claude');
  const file = join(folder, '.credentials.json');
  const isThere = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (isThere) return { ...good, login: { file } };
  const hiddenKey = KEYS.find((each) => (env[each] ?? '') !== '');
  if (hiddenKey !== undefined) {
    return { problem: 'key_hidden', login: null, fix: `add ${hiddenKey} to BATON_AGENT_ENV` };
  }
  // On macOS a login may be in the Keychain, which is not checked.
  if (process.platform === 'darwin') return { ...good, login: null };
  const fix =
    'run "claude" as the user Baton runs as and sign in, or restart Baton with ANTHROPIC_API_KEY set';
  return { problem: 'signed_out', login: null, fix };
}
