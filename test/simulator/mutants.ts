import { LaneQueue } from '../../src/queue/memory/lane-queue.ts';
import type { Store } from '../../src/queue/store.ts';
import { inMemory, type StoreMaker } from './sim-store.ts';

/* Planted bugs: each is a store with one mistake. */

const altered =
  (maker: StoreMaker, alter: (store: Store) => Partial<Store>): StoreMaker =>
  (clock) => {
    const sim = maker(clock);
    const changed = alter(sim.store);
    const store = new Proxy(sim.store, {
      get(target, name) {
        const value: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { ...sim, store };
  };

/** An attempt can be ended with any fence. */
export const fenceIgnoredOnFinish = (maker: StoreMaker): StoreMaker =>
  altered(maker, (store) => ({
    write: async (writes) => {
      const forged = writes.map(async (write) => {
        const fence = (await store.getLane(write.lane))?.fence ?? 0;
        if (write.end === undefined || fence === 0) return write;
        const { no: _, ...rest } = write;
        return { ...rest, fence };
      });
      return store.write(await Promise.all(forged));
    },
  }));

/** A claim does not check whether the installation is stopped. */
export const stopIgnoredByClaims = (maker: StoreMaker): StoreMaker =>
  altered(maker, (store) => ({
    claim: async (request) => {
      const stop = await store.getStop();
      if (stop === null) return store.claim(request);
      await store.setStop(null);
      return store.claim(request).finally(() => store.setStop(stop));
    },
  }));

/** Caps are compared with the node's count at its last poll, a step before the claim. */
export const capCountedBeforeTheLock = (maker: StoreMaker): StoreMaker =>
  altered(maker, (store) => {
    const counted = new Map<string, Map<string, number>>();
    const count = async (nodeId: string): Promise<Map<string, number>> => {
      const types = new Map<string, number>();
      for (const { type } of await store.list({ limit: 1000, states: ['dequeued', 'running'] })) {
        types.set(type, (types.get(type) ?? 0) + 1);
      }
      counted.set(nodeId, types);
      return types;
    };
    return {
      poll: async (nodeId) => {
        await count(nodeId);
        return store.poll(nodeId);
      },
      claim: async (request) => {
        const seen = counted.get(request.nodeId) ?? (await count(request.nodeId));
        counted.delete(request.nodeId);
        const types: Record<string, number> = { ...request.caps.types };
        const now = await count(request.nodeId);
        counted.delete(request.nodeId);
        for (const [type, cap] of Object.entries(types)) {
          // The free slots at that time, added to the runs that execute now.
          types[type] = cap - (seen.get(type) ?? 0) + (now.get(type) ?? 0);
        }
        return store.claim({ ...request, caps: { ...request.caps, types } });
      },
    };
  });

/**
 * The next run of a lane is the oldest by id instead of the first by position: on SQLite with
 * another ORDER BY, in memory with a queue that ignores positions.
 */
export const orderByRunId = (text: string): string =>
  text.includes('SELECT q.id FROM runs q')
    ? text.replace('ORDER BY q.position LIMIT 1', 'ORDER BY q.id LIMIT 1')
    : text;

export async function withQueuesByRunId<T>(play: (maker: StoreMaker) => Promise<T>): Promise<T> {
  const { at } = LaneQueue.prototype;
  let claiming = false;
  LaneQueue.prototype.at = function (this: LaneQueue, index) {
    let oldest = at.call(this, index);
    for (let i = 1; claiming && index === 0 && i < this.length; i++) {
      const run = at.call(this, i);
      if (run !== undefined && oldest !== undefined && run.core.id < oldest.core.id) oldest = run;
    }
    return oldest;
  };
  const claim = (store: Store): Store['claim'] => {
    return (request) => {
      // The memory store does all the work synchronously.
      claiming = true;
      const claimed = store.claim(request);
      claiming = false;
      return claimed;
    };
  };
  try {
    return await play(altered(inMemory, (store) => ({ claim: claim(store) })));
  } finally {
    LaneQueue.prototype.at = at;
  }
}
