import { expect, test } from 'vitest';
import { NodeReadiness } from './readiness.ts';

function rig() {
  const node = { away: false, leftMs: 20_000 };
  const readiness = new NodeReadiness();
  const open = () =>
    readiness.opened({
      ask: async () => {
        if (node.away) throw new Error('away');
      },
      leaseRemainingMs: () => node.leftMs,
      renewMs: 10_000,
    });
  return { node, readiness, open };
}

const READY = { database: true, migrations: true, lease: true };

test('[H7] a node is ready once its database is open, and says before what is missing', async () => {
  const { readiness, open } = rig();
  expect(Object.values(await readiness.check())).not.toContain(true);
  open();
  expect(await readiness.check()).toEqual(READY);
});

test('[O5] it is not ready while the database is away, and is again by itself', async () => {
  const { node, readiness, open } = rig();
  open();
  node.away = true;
  expect(await readiness.check()).toEqual({ ...READY, database: 'does not answer' });
  node.away = false;
  expect(await readiness.check()).toEqual(READY);
});

test('[H7] it is not ready when its lease has less left than until a renewal, and is again by itself', async () => {
  const { node, readiness, open } = rig();
  open();
  node.leftMs = 9999;
  expect(await readiness.check()).toEqual({ ...READY, lease: 'about to end' });
  node.leftMs = 0;
  expect(await readiness.check()).toEqual({ ...READY, lease: 'not held' });
  node.leftMs = 10_000;
  expect(await readiness.check()).toEqual(READY);
});

test('[H7] it is not ready from when its stop has begun, whatever else is', async () => {
  const { readiness, open } = rig();
  open();
  readiness.stopping();
  expect(await readiness.check()).toEqual({ node: 'stopping' });
});
