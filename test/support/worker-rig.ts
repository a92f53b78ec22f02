import { onTestFinished } from 'vitest';
import type { RunState } from '../../src/contract/run.ts';
import { memoryStore } from '../../src/queue/memory/store.ts';
import { RunQueue } from '../../src/queue/run-queue.ts';
import type { Store } from '../../src/queue/store.ts';
import { Worker } from '../../src/queue/worker/worker.ts';
import type { WorkerOptions } from '../../src/queue/worker/worker-settings.ts';
import { CapturedLog } from './captured-log.ts';
import { faultyStore } from './faulty-store.ts';
import { until } from './until.ts';

/** A queue over a store whose connection can be cut, with workers; everything stops with the test. */
export function rig(base: Store = memoryStore()) {
  const log = new CapturedLog();
  const { store, faults } = faultyStore(base);
  const queue = new RunQueue(store, { log });
  onTestFinished(async () => {
    faults.away = null;
    faults.before = null;
    await base.close();
  });

  const worker = (options: WorkerOptions = {}): Worker => {
    const made = new Worker(queue, { pollMs: 20, log, ...options });
    onTestFinished(() => made.stop({ immediate: true }));
    return made;
  };
  const stateOf = async (id: string): Promise<RunState | undefined> => (await base.get(id))?.state;
  const reaches = (id: string, state: RunState): Promise<void> =>
    until(async () => (await stateOf(id)) === state);
  return { base, store, faults, queue, log, worker, stateOf, reaches };
}

/** Blocks callers of `pass` until the test opens it, and counts them. */
export class Gate {
  readonly #deferred = Promise.withResolvers<void>();
  reached = 0;

  async pass(): Promise<void> {
    this.reached++;
    await this.#deferred.promise;
  }

  open(): void {
    this.#deferred.resolve();
  }
}
