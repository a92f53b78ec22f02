import { expect, test } from 'vitest';
import { authorised, type Person } from '../../../test/support/principals.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { newId } from '../../contract/values/ids.ts';
import { invocation } from '../conformance/rig.ts';
import { withReportedCosts } from './reported-costs.ts';

const DAY = 86_400_000;
const USED = { costUsd: 0.5, model: 'm', costSource: 'claude', inputTokens: 3 };

test('[A5] the cost of an agent is recorded with the sender and channel of its message', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('work');
  const run = await rig.send(id, 'echo hello');
  await rig.finished(run);
  const [record] = await rig.services.runs.invocations(ADMIN, run);
  expect(record).toMatchObject({ userId: 'admin', channel: 'api', finishedAt: expect.any(String) });
  expect(await rig.services.costs.list(ADMIN, { by: 'channel' })).toMatchObject([
    { key: 'api', costUsd: 0, invocations: 1 },
  ]);
});

test('[A5] [X3] sums cover only what the user may see, and a bounded time', async () => {
  const rig = await serviceRig({ executes: false });
  const { services, store } = rig;
  const { id: userId } = await store.createUser({ id: newId(), name: 'taro', role: 'viewer' });
  const taro = authorised({ userId, role: 'viewer', channel: 'web' });
  const { id } = await rig.session('work', { budgetUsd: 2 });
  const run = await rig.send(id, 'echo');
  const now = Date.now();
  await store.putInvocation(invocation(id, run, { ...USED, finishedAt: now }));
  await store.putInvocation(invocation(id, run, { ...USED, finishedAt: now - 40 * DAY }));
  const sum = async (by: Person, query: { from?: string; to?: string } = {}) =>
    (await services.costs.list(by, { by: 'session', ...query })).map(({ key, costUsd }) => [
      key,
      costUsd,
    ]);
  const ago = (days: number) => new Date(now - days * DAY).toISOString();
  expect(await sum(ADMIN)).toEqual([[id, 0.5]]);
  expect(await sum(ADMIN, { from: ago(50) })).toEqual([[id, 1]]);
  expect(await sum(ADMIN, { from: ago(50), to: ago(30) })).toEqual([[id, 0.5]]);
  expect(await sum(ADMIN, { to: ago(30) })).toEqual([[id, 0.5]]);
  expect(await sum(ADMIN, { from: ago(1), to: ago(2) })).toEqual([]);
  await expect(async () => sum(ADMIN, { from: ago(400) })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'from' },
  });
  expect(await sum(taro)).toEqual([]);
  await expect(services.costs.ofSession(taro, id)).rejects.toMatchObject({ code: 'not_found' });
  await services.shares.put(ADMIN, id, { shares: [{ user: 'taro', level: 'view' }] });
  expect(await sum(taro)).toEqual([[id, 0.5]]);
  expect(await services.costs.ofSession(taro, id)).toMatchObject({
    costUsd: 1,
    budgetUsd: 2,
    models: [{ model: 'm', source: 'claude', costUsd: 1, inputTokens: 6, invocations: 2 }],
  });
});

test('[A5] [O4] the cost of an agent is reported once, by the node that records its end', async () => {
  const rig = await serviceRig({ executes: false });
  const { id } = await rig.session('work');
  const run = await rig.send(id, 'echo');
  const reported: [string, number][] = [];
  const store = withReportedCosts(rig.store, (...cost) => void reported.push(cost));
  const begun = invocation(id, run, { agent: 'claude' });
  await store.putInvocation(begun);
  await store.putInvocation({ ...begun, ...USED });
  // Its node died, and the node that killed the leftovers has recorded the end.
  const [left] = await store.listUnfinished(id);
  await store.putInvocation({ ...left!, finishedAt: 2000 });
  await store.putInvocation({ ...begun, ...USED, finishedAt: 2001 });
  expect(reported).toEqual([['claude', 0.5]]);
  expect((await rig.services.sessions.get(ADMIN, id)).costUsd).toBe(0.5);
});
