import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { freeSpace } from './free-space.ts';
import { NodeReadiness } from './readiness.ts';

function rig() {
  const node = { away: false, leftMs: 20_000, isThere: true, freeBytes: 1e9, disk: true };
  const readiness = new NodeReadiness();
  const open = () =>
    readiness.opened({
      ask: async () => {
        if (node.away) throw new Error('away');
      },
      isThere: () => node.isThere,
      freeBytes: async () => {
        if (!node.disk) throw new Error('EIO');
        return node.freeBytes;
      },
      leaseRemainingMs: () => node.leftMs,
      renewMs: 10_000,
    });
  return { node, readiness, open };
}

const READY = { database: true, migrations: true, lease: true, disk: true };

test('[H7] a node is ready once its database is open, and says what is missing until then', async () => {
  const { readiness, open } = rig();
  expect(Object.values(await readiness.check())).not.toContain(true);
  open();
  expect(await readiness.check()).toEqual(READY);
});

test('[O5] a node is not ready while the database is away, and recovers by itself', async () => {
  const { node, readiness, open } = rig();
  open();
  node.away = true;
  expect(await readiness.check()).toEqual({ ...READY, database: 'does not respond' });
  node.away = false;
  expect(await readiness.check()).toEqual(READY);
});

test('[H7] a node is not ready when its lease ends before the next renewal, and recovers by itself', async () => {
  const { node, readiness, open } = rig();
  open();
  node.leftMs = 9999;
  expect(await readiness.check()).toEqual({ ...READY, lease: 'about to end' });
  node.leftMs = 0;
  expect(await readiness.check()).toEqual({ ...READY, lease: 'not held' });
  node.leftMs = 10_000;
  expect(await readiness.check()).toEqual(READY);
});

test('[H7] a node is not ready once it is stopping, even if every check passes', async () => {
  const { readiness, open } = rig();
  open();
  readiness.stopping();
  expect(await readiness.check()).toEqual({ node: 'stopping' });
});

test('[E10] a node is not ready while its disk is almost full or does not respond', async () => {
  const { node, readiness, open } = rig();
  open();
  node.freeBytes = 100 * 1024 * 1024 - 1;
  expect(await readiness.check()).toEqual({ ...READY, disk: 'almost full' });
  node.freeBytes++;
  expect(await readiness.check()).toEqual(READY);
  node.disk = false;
  expect(await readiness.check()).toEqual({ ...READY, disk: 'does not respond' });
  expect(await freeSpace([tmpdir(), '/'])).toBeGreaterThan(0);
});

test('[H7] a node is not ready if its database file was removed or replaced', async () => {
  const { node, readiness, open } = rig();
  open();
  node.isThere = false;
  expect(await readiness.check()).toEqual({ ...READY, database: 'was removed or replaced' });
});
