import { expect } from 'vitest';
import type { Lane } from '../../../contract/lane.ts';
import { isTerminal, type Run } from '../../../contract/run.ts';
import type { Store } from '../../store.ts';
import { CAPS, type ModelLane, type World } from './world.ts';

/** Compares everything the store shows with the model, and checks the invariants. */
export async function checkAll(world: World, store: Store): Promise<void> {
  const runs = await store.list({ limit: 10_000 });
  checkRuns(world, runs);
  checkCaps(runs, world);
  for (const lane of world.lanes) await checkLane(world, lane, runs, store);
  const counts: Record<string, number> = {};
  for (const { state } of runs) counts[state] = (counts[state] ?? 0) + 1;
  const stored = Object.entries(await store.counts()).filter(([, count]) => count !== 0);
  expect(Object.fromEntries(stored), 'counts').toEqual(counts);
}

function checkRuns(world: World, runs: readonly Run[]): void {
  const seen = runs.map((run) => ({
    id: run.id,
    lane: run.lane,
    type: run.type,
    state: run.state,
    payload: run.payload,
    attempts: run.attempts,
    crashes: run.crashes,
    retryOf: run.retryOf,
    runAt: run.runAt,
    nextRunAt: run.nextRunAt,
    finishedAt: run.finishedAt,
    error: run.error?.class ?? null,
  }));
  const expected = world.runs.map((run) => ({
    id: run.id,
    lane: run.lane,
    type: run.type,
    state: run.state,
    payload: run.payload,
    attempts: run.attempts,
    crashes: run.crashes,
    retryOf: run.retryOf,
    runAt: run.runAt,
    nextRunAt: run.nextRunAt,
    finishedAt: run.finishedAt,
    error: run.error,
  }));
  expect(seen, 'runs').toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)));
}

function checkCaps(runs: readonly Run[], world: World): void {
  const executing = runs.filter(({ state }) => state === 'dequeued' || state === 'running');
  for (const [type, cap] of Object.entries(CAPS.types)) {
    const count = executing.filter((run) => run.type === type).length;
    expect(count, `cap of ${type}`).toBeLessThanOrEqual(cap);
  }
  for (const { owner } of executing) {
    const count = executing.filter((run) => run.owner === owner).length;
    expect(count, `cap of owner ${owner}`).toBeLessThanOrEqual(CAPS.perOwner ?? 0);
  }
  for (const node of world.nodes) {
    expect(world.freeOn(node), `capacity of ${node.id}`).toBeGreaterThanOrEqual(0);
  }
}

const BEGUN = ['dequeued', 'running', 'waiting', 'retry_scheduled'];

async function checkLane(
  world: World,
  lane: ModelLane,
  runs: readonly Run[],
  store: Store,
): Promise<void> {
  const name = `lane ${lane.id}`;
  const row = (await store.getLane(lane.id)) as Lane;
  expect(row, name).not.toBeNull();
  const { owner, held, begun: runId, node: nodeId, fence, cancel, kept } = lane;
  const queued = lane.queue.length;
  expect(row, name).toMatchObject({ owner, held, runId, nodeId, fence, cancel, kept, queued });
  const head = runId ?? lane.queue[0];
  expect(row.headType, `${name}: head type`).toBe(head === undefined ? null : world.run(head).type);
  const order = (await store.listQueued(lane.id, 1000)).map(({ id }) => id);
  expect(order, `${name}: order`).toEqual(lane.queue);
  const own = runs.filter((run) => run.lane === lane.id);
  expect(own.filter(({ state }) => BEGUN.includes(state)).length).toBeLessThanOrEqual(1);

  const log = await store.listAfter(lane.id, 0, 10_000);
  const fresh = log.filter(({ seq }) => seq > lane.lastSeq).map(({ seq }) => seq);
  expect(fresh, `${name}: seqs`).toEqual(fresh.map((_, i) => lane.lastSeq + i + 1));
  lane.lastSeq += fresh.length;
  expect(row.nextSeq).toBe(lane.lastSeq + 1);
  for (const run of own) {
    const events = log.filter(({ runId }) => runId === run.id);
    const done = events.filter(({ type }) => type === 'done');
    expect(done.length, `${run.id}: ends`).toBe(isTerminal(run.state) ? 1 : 0);
    expect(events[0]?.seq).toBe(run.firstSeq);
    if (isTerminal(run.state))
      expect(events.at(-1)).toMatchObject({ type: 'done', seq: run.lastSeq });
  }
}
