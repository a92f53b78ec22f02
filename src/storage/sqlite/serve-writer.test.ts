import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { newId } from '../../contract/values/ids.ts';
import type { Json } from '../../contract/values/json.ts';
import { question } from '../../sessions/conformance/approvals.ts';
import { SessionStoreRig } from '../../sessions/conformance/rig.ts';
import type { FromWriter, ToWriter } from './protocol.ts';
import { serveWriter } from './serve-writer.ts';
import { sqliteStore } from './store.ts';
import type { WriterThread } from './writer.ts';

/** The writer on this thread, where the test can move the clock. */
function onThisThread(path: string): WriterThread {
  const { port1, port2 } = new MessageChannel();
  const events = new EventEmitter();
  port1.on('message', (message: FromWriter) => events.emit('message', message));
  port1.on('close', () => events.emit('exit'));
  void serveWriter(port2, path);
  const postMessage = (message: ToWriter): void => port1.postMessage(message);
  return Object.assign(events, { postMessage }) as unknown as WriterThread;
}

const NODE = {
  id: 'node',
  host: 'h',
  bootId: 'b',
  pidNamespace: 'p',
  pid: 1,
  pidStart: '1',
  roles: ['worker' as const],
  types: [],
  capacity: 1,
  version: '1',
};

test('[Q6] after a sleep no call finds that a lease has expired, even if none was renewed yet', async () => {
  let sleptMs = 0;
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + sleptMs);
  onTestFinished(() => clock.mockRestore());
  const path = join(temporaryDirectory(), 'q.db');
  const store = await sqliteStore({ path, startThread: onThisThread });
  onTestFinished(() => store.close());
  await store.join(NODE, 30_000);
  sleptMs = 3_600_000;
  expect(await store.takeOver([])).toEqual([]);
  expect(await store.listNodes()).toHaveLength(1);
  expect(await store.renew('node', 30_000)).toBe(true);
});

test('[Q22] a value that threads cannot send to each other leaves no call without a response', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  const store = await sqliteStore({ path });
  onTestFinished(() => store.close());
  const rig = await SessionStoreRig.open(async () => store);
  const claimed = await rig.begin(await rig.session());
  const other = await rig.session();
  // Depending on the size of the stack, one of these can be sent but not received.
  for (const levels of [1700, 2000, 2500, 3000, 3400]) {
    let input: Json = [];
    for (let level = 0; level < levels; level++) input = [input];
    const asked = rig.store.openApproval(question(claimed, { id: newId(), input }));
    const noted = rig.do(other, { do: 'update', changes: { description: `${levels}` } });
    // Either may be rejected, but neither may wait for ever.
    await Promise.allSettled([asked, noted]);
    expect((await store.getSession(other))?.session.description).toBe(`${levels}`);
  }
});

test('[Q6] calls that take long are answered in order, and leases are renewed in between', async () => {
  const path = join(temporaryDirectory(), 'q.db');
  const store = await sqliteStore({ path, startThread: onThisThread });
  onTestFinished(() => store.close());
  const rig = await SessionStoreRig.open(async () => store);
  const id = await rig.session();
  await store.join(NODE, 30_000);
  const keeper = store.keepLease('node', { leaseMs: 30_000, renewMs: 5, stallMs: 60_000 });
  // As if each call took two seconds, so that each gets a commit of its own.
  let elapsed = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 2000));
  onTestFinished(() => clock.mockRestore());
  const done: number[] = [];
  const leases = new Set<number>();
  const update = async (n: number): Promise<void> => {
    await rig.do(id, { do: 'update', changes: { description: `${n}` } });
    done.push(n);
    leases.add((await store.listNodes()).find((node) => node.id === 'node')!.leaseUntil);
  };
  const all = Array.from({ length: 60 }, (_, n) => n);
  await Promise.all(all.map(update));
  expect(done).toEqual(all);
  expect(leases.size).toBeGreaterThan(2);
  await keeper.stop();
});
