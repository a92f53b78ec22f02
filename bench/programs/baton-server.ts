// A Baton node, whole or with some of its roles. Argument: { dataDir, token, database?, roles? }. Message
// out: { url }; to any message in it answers the bytes resident after a collection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readConfig } from '../../src/cli/config.ts';
import { createLog } from '../../src/cli/log.ts';
import { maskLine } from '../../src/logging.ts';
import { type Role, startNode } from '../../src/main.ts';

interface Setup {
  readonly dataDir: string;
  readonly token: string;
  readonly database?: string;
  readonly roles?: readonly Role[];
}

const { dataDir, token, database, roles } = JSON.parse(process.argv[2]!) as Setup;
const flags = ['--port', '0', '--data-dir', dataDir];
const config = readConfig([...flags, ...(database === undefined ? [] : ['--database', database])], {
  BATON_ADMIN_TOKEN: token,
  BATON_LOG_LEVEL: 'error',
  // Nodes over one database have one key, and nobody waits for one that stops.
  BATON_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  BATON_DRAIN_SECONDS: '0',
});
const log = createLog('error', maskLine);
const options = roles === undefined ? {} : { roles };
const node = await startNode(config, log, new AbortController().signal, options);
process.send!({ url: node.url });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('message', () => {
  collect();
  process.send!(process.memoryUsage.rss());
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
