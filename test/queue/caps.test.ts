import { expect, test } from 'vitest';
import { seeded } from '../support/seeded.ts';
import { until } from '../support/until.ts';
import { type Entry, logOf, postgresScene, step } from './worker-program.ts';

const LANES = 12;
const OWNERS = 4;
const RUNS = 300;
const TYPE_CAP = 3;
const OWNER_CAP = 2;

test('[Q1] [Q2] [Q22] with three workers, one killed and one stopped, order and caps hold and no run is lost', {
  timeout: 60_000,
}, async () => {
  const { scene, queue } = await postgresScene();
  const random = seeded(7);
  const killed = scene.path('killed');
  const requests = Array.from({ length: RUNS }, (_, i) => {
    const lane = Math.floor(random() * LANES);
    const ms = 1 + Math.floor(random() * 12);
    const failures = random() < 0.1 ? 1 : 0;
    const payload = i === RUNS / 3 ? { die: killed } : { ms, failures };
    const type = random() < 0.7 ? 'step' : 'side';
    return { ...step(`lane-${lane}`, payload), type, owner: `owner-${lane % OWNERS}` };
  });
  const options = {
    concurrency: 4,
    leaseMs: 60_000,
    caps: { types: { step: TYPE_CAP }, perOwner: OWNER_CAP },
  };
  const workers = await Promise.all([1, 2, 3].map(() => scene.worker(options)));
  const receipts = await queue.enqueue(requests);

  const dead = await Promise.race(workers.map((one) => one.exit.then(() => one)));
  expect((await dead.exit).signal).toBe('SIGKILL');
  const [leaver, stayer] = workers.filter((one) => one !== dead);
  await until(() => scene.records({ what: 'end' }).length > (RUNS * 2) / 3, { ms: 20_000 });
  expect(await leaver!.stop()).toBe(0);
  await until(async () => (await queue.counts()).succeeded === RUNS, { ms: 20_000, every: 50 });
  expect(await stayer!.stop()).toBe(0);

  const spans = spansOf(scene.records(), dead.pid);
  const requestOf = new Map(receipts.map(({ id }, i) => [id, requests[i]!]));
  const spansWhere = (holds: (request: (typeof requests)[number]) => boolean): Span[] =>
    spans.filter(({ run }) => holds(requestOf.get(run)!));
  // As many as the caps allow, and never more.
  expect(most(spansWhere(({ type }) => type === 'step'))).toBe(TYPE_CAP);
  for (let i = 0; i < OWNERS; i++) {
    expect(most(spansWhere(({ owner }) => owner === `owner-${i}`))).toBe(OWNER_CAP);
  }
  expect(new Set(spans.map(({ pid }) => pid)).size).toBe(3);

  for (let i = 0; i < LANES; i++) {
    const lane = `lane-${i}`;
    const mine = spansWhere((request) => request.lane === lane);
    expect(most(mine), lane).toBe(1);
    const admitted = receipts.filter((receipt) => receipt.lane === lane).map(({ id }) => id);
    // A run starts again before the next one starts: first starts and last ends are in order.
    expect([...new Set(mine.map(({ run }) => run))], lane).toEqual(admitted);
    expect([...new Set(mine.map(({ run }) => run).reverse())].reverse(), lane).toEqual(admitted);

    const log = await logOf(queue, lane);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    const done = log.filter(({ type }) => type === 'done').map(({ runId }) => runId);
    expect(done, lane).toEqual(admitted);
  }
  for (const { id } of receipts) {
    const { failures = 0 } = requestOf.get(id)!.payload as { failures?: number };
    expect(await queue.get(id)).toMatchObject({ state: 'succeeded', attempts: failures + 1 });
  }
});

interface Span {
  readonly run: string;
  readonly pid: number;
  readonly from: number;
  readonly to: number;
}

/** From the start to the end of each execution; an execution without an end ended with its process. */
function spansOf(records: readonly Entry[], deadPid: number): Span[] {
  const lastSign = Math.max(...records.filter(({ pid }) => pid === deadPid).map(({ at }) => at));
  const ends = records.filter(({ what }) => what === 'end');
  return records
    .filter(({ what }) => what === 'start')
    .map(({ run, pid, at }) => {
      const end = ends.find((each) => each.run === run && each.pid === pid && each.at >= at);
      if (end === undefined) expect(pid).toBe(deadPid);
      return { run, pid, from: at, to: end?.at ?? lastSign };
    })
    .sort((a, b) => a.from - b.from);
}

/** The maximum number of executions at any one time. */
function most(spans: readonly Span[]): number {
  return Math.max(
    ...spans.map(({ from }) => spans.filter((each) => each.from <= from && from < each.to).length),
  );
}
