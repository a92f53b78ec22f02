import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SharedLease, startRenewing } from '../../queue/lease-keeper.ts';
import { commitTogether } from './commit.ts';
import { Connection } from './connection.ts';
import { toBatonError } from './errors.ts';
import { lockFile } from './lock.ts';
import { migrate } from './migrate.ts';
import type { Call, FromWriter, ToWriter } from './protocol.ts';
import { toPlain } from './protocol.ts';

/*
 * The only writer of the database file. Calls that wait together share one commit (commit.ts). It
 * also renews the leases of this process, because it is not blocked when the main thread is.
 */

const { path } = workerData as { path: string };
const port = parentPort!;
const say = (message: FromWriter): void => port.postMessage(message);
const leases = new Map<string, () => Promise<void>>();

try {
  const unlock = await lockFile(path);
  const connection = new Connection(path, { readOnly: false });
  migrate(connection);
  serve(connection, unlock);
  say({ kind: 'ready' });
} catch (error) {
  say({ kind: 'failed', error: toPlain(toBatonError(error, path)) });
}

function serve(connection: Connection, unlock: () => void): void {
  port.on('message', (message: ToWriter) => {
    switch (message.kind) {
      case 'calls':
        return say({
          kind: 'replies',
          replies: commitTogether(connection, path, withWaiting(message.calls)),
        });
      case 'keep': {
        const { nodeId, buffer, options } = message;
        leases.set(
          nodeId,
          startRenewing(new SharedLease(buffer), options, () =>
            renew(connection, nodeId, options.leaseMs),
          ),
        );
        return;
      }
      case 'let_go':
        void leases
          .get(message.nodeId)?.()
          .then(() => {
            leases.delete(message.nodeId);
            say({ kind: 'let_go', nodeId: message.nodeId });
          });
        return;
      case 'close':
        connection.close();
        unlock();
        port.close();
    }
  });
}

/** Adds the calls that have arrived meanwhile; anything else is put back by handling it after. */
function withWaiting(calls: readonly Call[]): readonly Call[] {
  const all = [...calls];
  while (all.length < MOST_PER_COMMIT) {
    const next = receiveMessageOnPort(port) as { message: ToWriter } | undefined;
    if (next === undefined) break;
    if (next.message.kind === 'calls') all.push(...next.message.calls);
    else {
      const later = next.message;
      setImmediate(() => port.emit('message', later));
      break;
    }
  }
  return all;
}
const MOST_PER_COMMIT = 1000;

function renew(connection: Connection, nodeId: string, leaseMs: number): boolean {
  const [reply] = commitTogether(connection, path, [
    { id: 0, name: 'renew', rest: [nodeId, leaseMs], now: null },
  ]);
  if (reply === undefined || 'error' in reply) throw new Error('the lease could not be renewed');
  return reply.done.value as boolean;
}
