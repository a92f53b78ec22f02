import { once } from 'node:events';
import { readConfig } from '../../config/config.ts';
import { maskLines } from '../../node/logging.ts';
import { startNode } from '../../node/main.ts';
import { serverMasker } from '../../node/server-masker.ts';
import { createLog } from './log.ts';
import { keepMemorySmall } from './memory.ts';

export type Role = 'api' | 'worker';

/** Runs a node until `stop` is aborted, then stops everything in order. */
export async function serve(
  args: string[],
  stop: AbortSignal,
  roles: readonly Role[],
): Promise<void> {
  const config = readConfig(args, process.env);
  const masker = serverMasker(config, process.env);
  const log = createLog(config.logLevel, maskLines(masker));
  const node = await startNode(config, log, stop, { roles, logMasker: masker }).catch((error) => {
    // Stopping a node before it is ready is not a failure.
    if (stop.aborted) return null;
    throw error;
  });
  if (node === null) return;
  if (!stop.aborted) {
    keepMemorySmall();
    process.stdout.write(`Baton is ready: ${node.signInUrl ?? node.url}\n`);
    await once(stop, 'abort');
  }
  log.info('Stopping; send a second signal to stop immediately');
  await node.stop();
  log.info('Stopped');
}
