import { expect, onTestFinished, test } from 'vitest';
import { testRuntime } from '../../test/support/local-runtime.ts';
import { serviceRig } from '../../test/support/service-rig.ts';
import { until } from '../../test/support/until.ts';
import { SILENT } from '../queue/logger.ts';
import { Provisioner } from './provisioner.ts';
import { SessionReconciler } from './reconciler.ts';

const HOST = 'test';

/** Some workspaces never become ready, as on a file system whose server is gone; others do. */
async function reconcilerRig(
  hangs: (sessionId: string) => boolean,
  removeWorkspace: (sessionId: string) => Promise<void> = async () => {},
) {
  const rig = await serviceRig({ executes: false });
  await rig.reconciler.stop();
  let passes = 0;
  const never = new Promise<never>(() => {});
  const provisioner = new Provisioner({
    store: rig.store,
    providerOf: () => ({
      name: 'directory',
      local: true,
      ensure: ({ sessionId }) =>
        hangs(sessionId) ? never : Promise.resolve(testRuntime(`/${sessionId}`)),
      observe: async () => 'ready',
      delete: async () => {},
    }),
    log: SILENT,
    host: HOST,
  });
  const reconciler = new SessionReconciler({
    store: {
      listPending: rig.store.listPending,
      reconcileApprovals: rig.store.reconcileApprovals,
      reconcileSteers: rig.store.reconcileSteers,
      listLeftWorkspaces: rig.store.listLeftWorkspaces,
      forgetLeftWorkspace: rig.store.forgetLeftWorkspace,
      reconcileSessions: (limit) => {
        passes++;
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
  onTestFinished(() => reconciler.stop());
  return { ...rig, reconciler, passes: () => passes };
}

test('[S4] [S6] [R102] workspaces that never become ready delay neither the others nor the timers', async () => {
  const hanging = new Set<string>();
  const rig = await reconcilerRig((id) => hanging.has(id));
  for (let i = 0; i < 20; i++) hanging.add((await rig.session(`hangs-${i}`)).id);
  const { id } = await rig.session('sound');
  rig.reconciler.start();
  const status = async () => (await rig.store.getSession(id))?.session.status;
  await until(async () => (await status()) === 'ACTIVE');
  const before = rig.passes();
  await until(() => rig.passes() > before + 2);
});

test('[Q20] a workspace that never becomes ready does not delay a stop', async () => {
  const rig = await reconcilerRig(() => true);
  const { id } = await rig.session('hangs');
  rig.reconciler.start();
  await until(() => rig.passes() > 0);
  await rig.reconciler.stop();
  expect((await rig.store.getSession(id))?.session.status).toBe('PENDING');
});

test('[S12] a failed removal of a workspace is retried, and delays no other', async () => {
  const tries: string[] = [];
  const stuck = new Set<string>();
  const rig = await reconcilerRig(
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
  rig.reconciler.start();
  await until(() => tries.filter((id) => id === first.id).length === 3);
  expect(await left()).toEqual([first.id]);
  expect(tries.filter((id) => id === second.id)).toHaveLength(1);
  stuck.clear();
  await until(async () => (await left()).length === 0);
});
