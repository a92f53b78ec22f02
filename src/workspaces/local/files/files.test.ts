import { realpathSync } from 'node:fs';
import { describe, test, vi } from 'vitest';
import { agentRig } from '../../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import { ESCAPE_CHECKS } from '../../conformance/runtime/escapes.ts';
import { FILE_CHECKS } from '../../conformance/runtime/files.ts';
import { localFiles } from './files.ts';
import { byName } from './open-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('on a system without /proc', () => {
  // The race with a swapped folder is narrow there, not closed.
  const checks = [...FILE_CHECKS, ...ESCAPE_CHECKS].filter(({ name }) => !name.includes('swapped'));
  for (const { name, run } of checks) {
    test(name, () => {
      const runtime = agentRig().runtimeAt(realpathSync(temporaryDirectory()));
      const files = localFiles(async () => runtime.root, byName);
      return run({ runtime: { ...runtime, files }, outside: realpathSync(temporaryDirectory()) });
    });
  }
});
