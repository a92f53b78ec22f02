import type { MessagePort } from 'node:worker_threads';
import { receiveMessageOnPort } from 'node:worker_threads';
import { SharedLease, startRenewing } from '../../queue/membership/lease-renewal.ts';
import { ClockJumps } from './clock-jumps.ts';
import { commitTogether } from './commit.ts';
import { Connection } from './connection.ts';
import { toBatonError } from './errors.ts';
import { lockFile } from './lock.ts';
import { migrate } from './migrate.ts';
import { OpenFiles } from './open-files.ts';
import type { Call, FromWriter, Reply, ToWriter } from './protocol.ts';
import { toPlain } from './protocol.ts';

/**
 * The only writer of a database file. Calls that wait at the same time share one commit
 * (commit.ts). It also renews this process's leases, because it keeps running while the main thread
 * is blocked.
 */
export async function serveWriter(port: MessagePort, path: string): Promise<void> {
  const say = (message: FromWriter): void => port.postMessage(message);
  try {
    const unlock = await lockFile(path);
    const connection = new Connection(path, { readOnly: false });
    migrate(connection);
    serve({ port, connection, unlock, say, commit: committer(connection, path) });
    say({ kind: 'ready' });
  } catch (error) {
    say({ kind: 'failed', error: toPlain(toBatonError(error, path)) });
  }
}

type Commit = (calls: readonly Call[]) => Reply[];

/** Checks before each commit that the file is still there. */
function committer(connection: Connection, path: string): Commit {
  const files = new OpenFiles(path);
  return (calls) => commitTogether(connection, path, calls, () => files.check());
}

interface Served {
  readonly port: MessagePort;
  readonly commit: Commit;
  readonly connection: Connection;
  readonly unlock: () => void;
  readonly say: (message: FromWriter) => void;
}

function serve({ port, commit, connection, unlock, say }: Served): void {
  const leases = new Map<string, () => Promise<void>>();
  const jumps = new ClockJumps();
  /** In the order in which they arrived. */
  const messages: ToWriter[] = [];
  let isAtWork = false;

  const work = (): void => {
    isAtWork = true;
    for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
      if (message.kind !== 'calls') {
        act(message);
        continue;
      }
      const calls = withWaiting(port, message.calls, messages);
      followClock(connection, jumps);
      const replies = commit(calls);
      say({ kind: 'replies', replies });
      if (replies.length === calls.length) continue;
      messages.unshift({ kind: 'calls', calls: calls.slice(replies.length) });
      // Leases are renewed in between.
      setImmediate(work);
      return;
    }
    isAtWork = false;
  };
  const act = (message: Exclude<ToWriter, { kind: 'calls' }>): void => {
    switch (message.kind) {
      case 'keep': {
        const { nodeId, buffer, options } = message;
        const renewing = startRenewing(new SharedLease(buffer), options, () => {
          followClock(connection, jumps);
          return renew(commit, nodeId, options.leaseMs);
        });
        leases.set(nodeId, renewing);
        return;
      }
      case 'release': {
        const { nodeId } = message;
        const stopped = leases.get(nodeId)?.() ?? Promise.resolve();
        leases.delete(nodeId);
        void stopped.then(() => say({ kind: 'release', nodeId }));
        return;
      }
      case 'close':
        connection.close();
        unlock();
        port.close();
    }
  };
  port.on('message', (message: ToWriter) => {
    messages.push(message);
    if (!isAtWork) work();
  });
  port.on('messageerror', () => say({ kind: 'unread' }));
}

/** Adds the calls that have already arrived, up to the first message that is not a call. */
function withWaiting(
  port: MessagePort,
  calls: readonly Call[],
  messages: ToWriter[],
): readonly Call[] {
  const all = [...calls];
  while (all.length < MOST_PER_COMMIT) {
    const next = messages.shift() ?? arrived(port);
    if (next === undefined) break;
    if (next.kind !== 'calls') {
      messages.unshift(next);
      break;
    }
    all.push(...next.calls);
  }
  return all;
}

const arrived = (port: MessagePort): ToWriter | undefined =>
  (receiveMessageOnPort(port) as { message: ToWriter } | undefined)?.message;

const MOST_PER_COMMIT = 1000;

/**
 * The wall clock jumps when a laptop sleeps or the clock is set. This is the database's only
 * process, so no other process can have taken over, and its leases are shifted by the same amount.
 * Otherwise every sleep would count as the node's death.
 */
function followClock(connection: Connection, jumps: ClockJumps): void {
  const jump = jumps.since();
  if (jump === 0) return;
  try {
    const text = 'UPDATE nodes SET lease_until = lease_until + $1';
    connection.query({ text, values: [jump] });
  } catch {
    // The file cannot be written now; the next call tries again.
    jumps.undo(jump);
  }
}

function renew(commit: Commit, nodeId: string, leaseMs: number): boolean {
  const write = { name: 'renew', args: [nodeId, leaseMs] } as const;
  const [reply] = commit([{ id: 0, write, now: null }]);
  if (reply === undefined || 'error' in reply) throw new Error('the lease could not be renewed');
  return reply.done.value as boolean;
}
