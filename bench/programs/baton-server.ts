// A Baton node with all or some of its roles. Argument: { dataDir, token, database?, roles?, port?,
// settings?, environment? }. Message out: { url }. It answers 'memory' with the resident bytes after a garbage
// collection, 'resident' with those before one.
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
  /** By default a free one. */
  readonly port?: number;
  /** Additional variables that begin with BATON_. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The environment that its agents inherit from. */
  readonly environment?: Readonly<Record<string, string>>;
}

const {
  dataDir,
  token,
  database,
  roles,
  port = 0,
  settings,
  environment,
} = JSON.parse(process.argv[2]!) as Setup;
Object.assign(process.env, environment);
const flags = ['--port', String(port), '--data-dir', dataDir];
const config = readConfig([...flags, ...(database === undefined ? [] : ['--database', database])], {
  BATON_ADMIN_TOKEN: token,
  BATON_LOG_LEVEL: 'error',
  // Nodes of one database share one key. No drain: nothing waits for a stopping node.
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
