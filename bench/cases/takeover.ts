import { postgresQueue } from '../../src/library.ts';
import type { Case } from '../benches.ts';
import { median, now } from '../measure.ts';
import type { BatonSetup, Started } from '../programs/baton-worker.ts';
import type { Resources } from '../resources.ts';

/** For nodes on another host, whose death shows only when their lease ends; short, to save time. */
const LEASE_MS = 6000;

interface Taken {
  /** From the kill to the start elsewhere. */
  readonly sinceKill: number;
  /** From the end of the dead node's lease; negative before it. */
  readonly sinceLease: number;
}

/** Kills a worker process with SIGKILL; its run starts in another one. */
export const takeover: Case = async ({ resources, rounds, report }) => {
  const near: Taken[] = [];
  const far: Taken[] = [];
  for (let round = 0; round < rounds; round++) {
    near.push(await takeOver(resources, {}, {}));
    const leaseMs = LEASE_MS;
    far.push(await takeOver(resources, { host: 'one', leaseMs }, { host: 'two', leaseMs }));
  }
  const since = (taken: Taken[], what: keyof Taken) => median(taken.map((one) => one[what]));
  report({ metric: 'kill → start, same host', value: since(near, 'sinceKill'), unit: 'ms' });
  report({
    metric: `kill → start, lease of ${LEASE_MS / 1000} s`,
    value: since(far, 'sinceKill'),
    unit: 'ms',
  });
  report({ metric: 'end of lease → start', value: since(far, 'sinceLease'), unit: 'ms' });
};

type Options = Omit<BatonSetup, 'url' | 'endless'>;

async function takeOver(resources: Resources, one: Options, other: Options): Promise<Taken> {
  const database = await resources.database();
  const { url } = database;
  const queue = await postgresQueue({ url });
  queue.register('noop', {});
  const first = resources.program('baton-worker', { url, endless: true, ...one });
  await first.next();
  await queue.enqueue({ type: 'noop', lane: 'lane', payload: { i: 1 } });
  await first.next();
  const second = resources.program('baton-worker', { url, endless: true, ...other });
  await second.next();

  const killedAt = now();
  await first.stop('SIGKILL');
  const nodes = await queue.store.listNodes();
  const leaseUntil = nodes.find(({ pid }) => pid === first.process.pid)?.leaseUntil;
  const started = (await second.next()) as Started;
  await second.stop('SIGKILL');
  await queue.close();
  await database.drop();
  return {
    sinceKill: started.at - killedAt,
    sinceLease: started.time - (leaseUntil ?? Number.NaN),
  };
}
