import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { directoryProvider } from '../directory.ts';
import type { WorkspaceProvider } from '../provider.ts';
import { providerConformance } from './provider.ts';

/** Cannot exist on this machine. */
const ROOT = '/dev/null/workspace';

/** Like containers: every agent sees its workspace at the same path, which only it can use. */
function containers(): WorkspaceProvider {
  const dataDir = join(realpathSync(temporaryDirectory()), 'data');
  mkdirSync(dataDir);
  return directoryProvider({
    dataDir,
    runtimeOf: ({ id, root }) => {
      const local = testRuntime(root, { id });
      const inspect = (path: string) => local.inspect(path.replace(ROOT, root));
      return { ...local, root: ROOT, inspect };
    },
  });
}

describe('[W1] a workspace that this machine cannot reach', () => {
  providerConformance(() => ({ provider: containers(), spec: { provider: 'directory' } }));
});
