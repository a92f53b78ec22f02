import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { ALLOW, asking } from '../../sessions/conformance/approvals.ts';
import {
  type OpenAt,
  SessionStoreRig,
  type SessionStores,
} from '../../sessions/conformance/rig.ts';
import { postgresStore } from './store.ts';

/* Two nodes on one database that answer, end and reconcile at the same time. */

let database: TestDatabase;
let rig: SessionStoreRig;
let other: SessionStores;
const open: OpenAt = (name, clock) =>
  postgresStore({ url: database.url, schema: `s${name.replaceAll('-', '')}`, clock });

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  rig = await SessionStoreRig.open(open);
  other = await open(rig.databaseName, () => rig.now);
});
afterEach(async () => {
  await other.close();
  await rig.close();
});

test('[A7] two people on two nodes answer a question once', async () => {
  for (let i = 0; i < 20; i++) {
    const { claimed, asked } = await asking(rig);
    await rig.queue.write(claimed, { ask: true });
    const answers = await Promise.allSettled([
      rig.store.decideApproval(asked.id, { ...ALLOW, decidedBy: 'ann' }),
      other.decideApproval(asked.id, { ...ALLOW, decision: 'deny', decidedBy: 'bob' }),
      rig.store.reconcileApprovals(10),
      other.reconcileApprovals(10),
    ]);
    const [ann, bob] = answers;
    expect([ann?.status, bob?.status].sort()).toEqual(['fulfilled', 'rejected']);
    const lost = answers.find((answer) => answer.status === 'rejected');
    expect(lost?.reason).toEqual(refused('approval_decided'));
    expect(await rig.events(claimed.run.lane, 'approval.decided')).toHaveLength(1);
    await rig.queue.claim();
    expect((await rig.queue.run(claimed.run.id)).state).toBe('running');
  }
});

test('[A7] a question whose run ends at the same time is answered or withdrawn, not both', async () => {
  for (let i = 0; i < 20; i++) {
    const { claimed, asked } = await asking(rig);
    const [answer] = await Promise.allSettled([
      other.decideApproval(asked.id, ALLOW),
      rig.queue.end(claimed),
    ]);
    await Promise.all([rig.store.reconcileApprovals(10), other.reconcileApprovals(10)]);
    await rig.store.reconcileApprovals(10);
    const state = answer?.status === 'fulfilled' ? 'allowed' : 'withdrawn';
    expect((await rig.store.getApproval(asked.id))?.state).toBe(state);
    const types = (await rig.events(claimed.run.lane)).map(({ type }) => type);
    expect(types.filter((type) => /^approval\.(decided|withdrawn)$/.test(type))).toEqual([
      state === 'allowed' ? 'approval.decided' : 'approval.withdrawn',
    ]);
  }
});
