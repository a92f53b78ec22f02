import { join } from 'node:path';
import type { AgentProblem } from '../../contract/agent.ts';
import type { Finding } from '../../contract/finding.ts';
import type { AgentProbe, ProbeEnvironment } from '../probe.ts';
import { INSTALL, isTooOld, OLDEST_VERSION } from './version.ts';

const SHELL_WORKS = 'the shell agent works without it';

/**
 * Checks locally, without using the network: it can see that there is a key or a login, but not
 * whether it is valid. It reports notes but never problems, because other agents work without
 * Claude Code.
 */
export async function probeClaude(
  named: string | undefined,
  environment: ProbeEnvironment,
): Promise<AgentProbe> {
  const program = named ?? (await environment.find('claude'));
  if (program === null) {
    const fix = `${INSTALL}, then sign in; or set BATON_CLAUDE_PATH`;
    const advice = `${fix}; ${SHELL_WORKS}`;
    return unfit('not_installed', fix, 'Claude Code is not installed', advice);
  }
  const version = await versionOf(program, environment);
  if (version === null) {
    const fix = `correct BATON_CLAUDE_PATH, or install it again (${INSTALL})`;
    return unfit('does_not_run', fix, `${program} does not run`, `${fix}; ${SHELL_WORKS}`);
  }
  if (isTooOld(version)) {
    const text = `${program} is ${version}, but Baton needs ${OLDEST_VERSION} or newer`;
    return { ...unfit('too_old', INSTALL, text), version };
  }
  const { problem, fix, finding } = await probeLogin(environment);
  const works: Finding = { name: 'agent claude', state: 'ok', text: `${program}, ${version}` };
  return { version, problem, fix, findings: [works, { name: 'claude login', ...finding }] };
}

const unfit = (problem: AgentProblem, fix: string, text: string, advice = fix): AgentProbe => ({
  version: null,
  problem,
  fix,
  findings: [{ name: 'agent claude', state: 'note', text, fix: advice }],
});

async function versionOf(program: string, { outputOf }: ProbeEnvironment): Promise<string | null> {
  const quiet = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const output = await outputOf([program, '--version'], quiet);
  return /\d+\.\d+\.\d+/.exec(output ?? '')?.[0] ?? null;
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

interface Login extends Pick<AgentProbe, 'problem' | 'fix'> {
  readonly finding: Omit<Finding, 'name'>;
}

/** Which credential agents would use. */
async function probeLogin({ server, agent, home, isReadable }: ProbeEnvironment): Promise<Login> {
  const key = KEYS.find((each) => (agent[each] ?? '') !== '');
  if (key !== undefined) return signedIn(`${key} is set for agents`);
  const folder = agent['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude');
  const file = join(folder, '.credentials.json');
  if (await isReadable(file)) return signedIn(`signed in (${file})`);
  const hiddenKey = KEYS.find((each) => (server[each] ?? '') !== '');
  if (hiddenKey !== undefined) {
    const text = 'a key is set, but agents cannot see it';
    return signedOut('key_hidden', text, `add ${hiddenKey} to BATON_AGENT_ENV`);
  }
  // On macOS a login may be in the Keychain, which is not checked.
  if (process.platform === 'darwin') {
    return signedIn('no key is set; a login may be in the Keychain', 'note');
  }
  return signedOut(
    'signed_out',
    'no key is set, and Claude Code is not signed in',
    'run "claude" as the user Baton runs as and sign in, or restart Baton with ANTHROPIC_API_KEY set',
  );
}

const signedIn = (text: string, state: 'ok' | 'note' = 'ok'): Login => ({
  problem: null,
  fix: null,
  finding: { state, text },
});

const signedOut = (problem: AgentProblem, text: string, fix: string): Login => ({
  problem,
  fix,
  finding: { state: 'note', text, fix },
});
