// A whole Baton server. Argument: { dataDir, token, database? }. Message out: { url }; to any message
// in it answers the bytes resident after a collection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readConfig } from '../../src/cli/config.ts';
import { createLog } from '../../src/cli/log.ts';
import { maskLine } from '../../src/logging.ts';
import { startNode } from '../../src/main.ts';

interface Setup {
  readonly dataDir: string;
  readonly token: string;
  readonly database?: string;
}

const { dataDir, token, database } = JSON.parse(process.argv[2]!) as Setup;
const flags = ['--port', '0', '--data-dir', dataDir];
const config = readConfig([...flags, ...(database === undefined ? [] : ['--database', database])], {
  BATON_ADMIN_TOKEN: token,
  BATON_LOG_LEVEL: 'warn',
});
const node = await startNode(config, createLog('warn', maskLine), new AbortController().signal);
process.send!({ url: node.url });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('message', () => {
  collect();
  process.send!(process.memoryUsage.rss());
});
process.on('SIGTERM', () => void node.stop().then(() => process.exit(0)));
