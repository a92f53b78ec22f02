import { realpathSync } from 'node:fs';
import { vi } from 'vitest';
import { agentRig } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { runtimeConformance } from '../conformance/runtime.ts';

// The machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** Long enough for a process to end itself at each step. */
const ladder = { interruptMs: 800, inputMs: 300, terminateMs: 800, killMs: 20_000 };

runtimeConformance(
  () => ({
    runtime: agentRig().runtimeAt(realpathSync(temporaryDirectory()), { ladder }),
    outside: realpathSync(temporaryDirectory()),
  }),
  { terminals: 'Baton does not support terminals yet.' },
);
