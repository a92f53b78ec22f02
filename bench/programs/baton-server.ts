// A Baton node, whole or with some of its roles. Argument: { dataDir, token, database?, roles?, settings?,
// environment? }. Message out: { url }; to 'memory' it answers the bytes resident after a collection, to
// 'resident' those without.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLog } from '../../src/cli/node/log.ts';
import { keepMemorySmall } from '../../src/cli/node/memory.ts';
import { readConfig } from '../../src/config/config.ts';
import { maskLines } from '../../src/node/logging.ts';
import { type Role, startNode } from '../../src/node/main.ts';
import { serverMasker } from '../../src/node/server-masker.ts';

interface Setup {
  readonly dataDir: string;
  readonly token: string;
  readonly database?: string;
  readonly roles?: readonly Role[];
  /** More variables that begin with BATON_. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What its agents may see of it. */
  readonly environment?: Readonly<Record<string, string>>;
}

const { dataDir, token, database, roles, settings, environment } = JSON.parse(
  process.argv[2]!,
) as Setup;
Object.assign(process.env, environment);
const flags = ['--port', '0', '--data-dir', dataDir];
const config = readConfig([...flags, ...(database === undefined ? [] : ['--database', database])], {
  BATON_ADMIN_TOKEN: token,
  BATON_LOG_LEVEL: 'error',
  // Nodes over one database have one key, and nobody waits for one that stops.
  BATON_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  BATON_DRAIN_SECONDS: '0',
  ...settings,
});
const logMasker = serverMasker(config, process.env);
const log = createLog('error', maskLines(logMasker));
const options = { logMasker, ...(roles === undefined ? {} : { roles }) };
const node = await startNode(config, log, new AbortController().signal, options);
keepMemorySmall();
process.send!({ url: node.url });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('message', (asked) => {
  if (asked === 'memory') collect();
  process.send!(process.memoryUsage.rss());
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
