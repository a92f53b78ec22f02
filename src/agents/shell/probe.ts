import type { AgentProbe, ProbeEnvironment } from '../probe.ts';

const SHELL = '/bin/sh';
const name = 'agent shell';
const FIX = 'install a POSIX shell';

export async function probeShell({ find }: ProbeEnvironment): Promise<AgentProbe> {
  if ((await find(SHELL)) !== null) {
    const findings = [{ name, state: 'ok', text: SHELL }] as const;
    return { version: null, problem: null, fix: null, findings };
  }
  const findings = [{ name, state: 'problem', text: `${SHELL} is missing`, fix: FIX }] as const;
  return { version: null, problem: 'not_installed', fix: FIX, findings };
}
