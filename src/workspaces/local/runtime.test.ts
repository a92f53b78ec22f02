import { realpathSync } from 'node:fs';
import { vi } from 'vitest';
import { agentRig } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { runtimeConformance } from '../conformance/runtime.ts';

// The machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

runtimeConformance(
  () => ({
    runtime: agentRig().runtimeAt(realpathSync(temporaryDirectory())),
    outside: realpathSync(temporaryDirectory()),
  }),
  { terminals: 'Baton does not support terminals yet.' },
);
