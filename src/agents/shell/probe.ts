import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { AgentProbe } from '../probe.ts';

const name = 'agent shell';
const FIX = 'install a POSIX shell';

export async function probeShell(): Promise<AgentProbe> {
  return access('/bin/sh', constants.X_OK).then(
    () => ({
      version: null,
      problem: null,
      fix: null,
      findings: [{ name, state: 'ok', text: '/bin/sh' }],
    }),
    () => ({
      version: null,
      problem: 'not_installed',
      fix: FIX,
      findings: [{ name, state: 'problem', text: '/bin/sh is missing', fix: FIX }],
    }),
  );
}
