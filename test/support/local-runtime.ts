import { newId } from '../../src/contract/values/ids.ts';
import { agentEnvironment } from '../../src/workspaces/local/environment/environment.ts';
import { type LocalSettings, localRuntime } from '../../src/workspaces/local/runtime.ts';
import type { Runtime } from '../../src/workspaces/runtime.ts';
import { temporaryDirectory } from './processes.ts';

/** A directory of this machine, with settings that most tests do not care about. */
export const testRuntime = (
  root: string,
  { id = newId(), ...settings }: Partial<LocalSettings> & { readonly id?: string } = {},
): Runtime =>
  localRuntime(
    {
      environment: agentEnvironment(process.env),
      installation: `test-${process.pid}`,
      node: () => 'node',
      ...settings,
      dataDir: settings.dataDir ?? temporaryDirectory(),
    },
    { id, root },
  );
