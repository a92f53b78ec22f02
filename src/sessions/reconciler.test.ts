import { expect, onTestFinished, test } from 'vitest';
import { serviceRig } from '../../test/support/service-rig.ts';
import { until } from '../../test/support/until.ts';
import { SILENT } from '../queue/logger.ts';
import { Provisioner } from './provisioner.ts';
import { SessionReconciler } from './reconciler.ts';

const HOST = 'test';

/** Workspaces that never come, as on a file system whose server is gone, beside sound ones. */
async function keeperRig(
  hangs: (sessionId: string) => boolean,
  removeWorkspace: (sessionId: string) => Promise<void> = async () => {},
) {
  const rig = await serviceRig({ executes: false });
  await rig.keeper.stop();
  let settled = 0;
  const never = new Promise<never>(() => {});
  const provisioner = new Provisioner({
    store: rig.store,
    providerOf: () => ({
      name: 'directory',
      local: true,
      ensure: ({ sessionId }) =>
        hangs(sessionId) ? never : Promise.resolve({ path: `/${sessionId}` }),
      observe: async () => 'ready',
      delete: async () => {},
    }),
    log: SILENT,
    host: HOST,
  });
  const keeper = new SessionReconciler({
    store: {
      listPending: rig.store.listPending,
      reconcileApprovals: rig.store.reconcileApprovals,
      reconcileSteers: rig.store.reconcileSteers,
      listLeftWorkspaces: rig.store.listLeftWorkspaces,
      forgetLeftWorkspace: rig.store.forgetLeftWorkspace,
      reconcileSessions: (limit) => {
        settled++;
        return rig.store.reconcileSessions(limit);
      },
    },
    connections: rig.connections,
    provisioner,
    removeWorkspace,
    removeAgainMs: 20,
    host: HOST,
    log: SILENT,
    everyMs: 20,
  });
  onTestFinished(() => keeper.stop());
  return { ...rig, keeper, settled: () => settled };
}

test('[S4] [S6] workspaces that never come hold up neither the others nor the timers', async () => {
  const hanging = new Set<string>();
  const rig = await keeperRig((id) => hanging.has(id));
  for (let i = 0; i < 20; i++) hanging.add((await rig.session(`hangs-${i}`)).id);
  const { id } = await rig.session('sound');
  rig.keeper.start();
  const status = async () => (await rig.store.getSession(id))?.session.status;
  await until(async () => (await status()) === 'ACTIVE');
  const before = rig.settled();
  await until(() => rig.settled() > before + 2);
});

test('[Q20] a workspace that never comes does not hold up a stop', async () => {
  const rig = await keeperRig(() => true);
  const { id } = await rig.session('hangs');
  rig.keeper.start();
  await until(() => rig.settled() > 0);
  await rig.keeper.stop();
  expect((await rig.store.getSession(id))?.session.status).toBe('PENDING');
});

test('[S12] a workspace that could not be removed is tried again, and holds up no other', async () => {
  const tries: string[] = [];
  const stuck = new Set<string>();
  const rig = await keeperRig(
    () => false,
    async (id) => {
      tries.push(id);
      if (stuck.has(id)) throw new Error('busy');
    },
  );
  const left = () => rig.store.listLeftWorkspaces(HOST, 10);
  const [first, second] = [await rig.session('first'), await rig.session('second')];
  for (const { id } of [first, second]) {
    await rig.store.changeSession(id, { do: 'ready', path: `/${id}`, host: HOST });
    await rig.store.deleteSession(id);
  }
  stuck.add(first.id);
  rig.keeper.start();
  await until(() => tries.filter((id) => id === first.id).length === 3);
  expect(await left()).toEqual([first.id]);
  expect(tries.filter((id) => id === second.id)).toHaveLength(1);
  stuck.clear();
  await until(async () => (await left()).length === 0);
});
