import { expect, test } from 'vitest';
import { serviceRig } from '../../../test/support/service-rig.ts';
import { EVENT_BYTES, OutputBudget, storedBytes } from './output-budget.ts';

test("[E10] the output of a run's earlier attempts counts", async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('counted');
  const runId = await rig.send(id, 'seq 1 30000');
  await rig.finished(runId);
  const run = await rig.store.get(runId);
  if (run === null) throw new Error('no run');
  const bytes = await storedBytes(rig.store, run);
  const all = await rig.store.listAfter(id, 0, 1000, runId);
  const texts = all.map(({ payload }) => JSON.stringify(payload));
  expect(bytes).toBe(Buffer.byteLength(texts.join('')) + all.length * EVENT_BYTES);
  expect(bytes).toBeGreaterThan(150_000);
  expect(await storedBytes(rig.store, { ...run, startedAt: null })).toBe(0);
});

test('[E10] once the budget is spent, output is read at a bounded pace', async () => {
  const budget = new OutputBudget(10, 10);
  expect(budget.isUsedUp).toBe(true);
  const began = performance.now();
  for (let n = 0; n < 64; n++) await budget.pace(64 * 1024);
  // Four times a megabyte.
  expect(performance.now() - began).toBeGreaterThan(400);
});
