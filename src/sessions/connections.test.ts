import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../test/support/service-rig.ts';
import { testStore } from '../../test/support/sqlite.ts';
import { until } from '../../test/support/until.ts';
import { BatonError } from '../contract/errors.ts';
import { SILENT } from '../queue/logger.ts';
import { Connections } from './connections.ts';

const activeOf = async ({ services }: Awaited<ReturnType<typeof serviceRig>>, id: string) =>
  (await services.sessions.get(ADMIN, id)).activeConnections;

test('[S3] a row whose insert seemed to fail is removed with its reader', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('lost-answer');
  const store = {
    openConnections: async (...given: Parameters<typeof rig.store.openConnections>) => {
      await rig.store.openConnections(...given);
      throw new BatonError('database_unreachable');
    },
    closeConnections: rig.store.closeConnections,
  };
  const connections = new Connections({ store, log: SILENT, nodeId: () => rig.worker.nodeId });
  onTestFinished(() => connections.stop());
  const connection = await connections.open(id, 'admin', 'sse');
  expect(await activeOf(rig, id)).toBe(1);
  connection.close();
  await until(async () => (await activeOf(rig, id)) === 0);
});

test('[S3] a reader that disconnects during its insert leaves no row', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('in-a-hurry');
  const entering = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const store = {
    openConnections: async (...given: Parameters<typeof rig.store.openConnections>) => {
      entering.resolve();
      await left.promise;
      return rig.store.openConnections(...given);
    },
    closeConnections: rig.store.closeConnections,
  };
  const connections = new Connections({ store, log: SILENT, nodeId: () => rig.worker.nodeId });
  const opening = connections.open(id, 'admin', 'sse');
  await entering.promise;
  const stopping = connections.stop();
  left.resolve();
  await Promise.all([opening, stopping]);
  expect(await activeOf(rig, id)).toBe(0);
});

test('[S3] a row that could not be removed is removed by the next pass', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('outage');
  const refused = Promise.withResolvers<void>();
  let isAway = true;
  const store = {
    openConnections: rig.store.openConnections,
    closeConnections: async (ids: readonly string[]) => {
      if (!isAway) return rig.store.closeConnections(ids);
      refused.resolve();
      throw new BatonError('database_unreachable');
    },
  };
  const connections = new Connections({ store, log: SILENT, nodeId: () => rig.worker.nodeId });
  onTestFinished(() => connections.stop());
  (await connections.open(id, 'admin', 'sse')).close();
  await refused.promise;
  expect(await activeOf(rig, id)).toBe(1);
  isAway = false;
  await until(async () => {
    connections.reconcile();
    return (await activeOf(rig, id)) === 0;
  });
});

test('a stopping server leaves no reader waiting for its insert', async () => {
  const store = await testStore({ path: join(temporaryDirectory(), 'baton.db') });
  onTestFinished(() => store.close());
  const connections = new Connections({ store, log: SILENT, nodeId: () => 'node' });
  const opening = connections.open('session', 'admin', 'sse');
  await connections.stop();
  await opening;
  expect(connections.count).toBe(0);
});

test('[S3] open connections are entered again when the node has a new lease', async () => {
  const entered: string[] = [];
  let node = 'first';
  const store = {
    openConnections: async ({ nodeId }: { nodeId: string }) => {
      entered.push(nodeId);
      return [];
    },
    closeConnections: async () => {},
  };
  const connections = new Connections({ store, log: SILENT, nodeId: () => node });
  onTestFinished(() => connections.stop());
  await connections.open('session', 'admin', 'sse');
  node = 'second';
  connections.reconcile();
  await until(() => entered.length === 2);
  expect(entered).toEqual(['first', 'second']);
});
