import type { Logger } from 'pino';
import type { Config } from './cli/config.ts';
import { makeDataDirectory } from './cli/data-directory.ts';
import { explainListenError } from './cli/listen-error.ts';
import { createApp, type Readiness } from './server/health.ts';
import { close, listen } from './server/listen.ts';

/** How long requests under way may take to end once the node stops. */
const HTTP_GRACE_MS = 3000;

export interface Node {
  url: string;
  /** Safe to call twice. */
  stop(): Promise<void>;
}

/** The composition root: builds the parts, starts them, and stops them in the opposite order. */
export async function startNode(config: Config, log: Logger): Promise<Node> {
  await makeDataDirectory(config.dataDir, log);

  const ready = async (): Promise<Readiness> => ({
    database: 'not part of this version yet',
    migrations: 'not part of this version yet',
    lease: 'not part of this version yet',
  });

  const app = createApp({ log, ready });
  try {
    const url = await listen(app, config.host, config.port);
    const { dataDir, isolation } = config;
    log.info({ url, dataDir, isolation, node: process.versions.node }, 'Node started');
    return { url, stop: () => close(app, HTTP_GRACE_MS) };
  } catch (error) {
    await app.close();
    throw explainListenError(error, config);
  }
}
