// A worker in a separate process: reports when it has joined and when a handler starts.
import { postgresQueue, Worker } from '../../src/library.ts';
import { now } from '../measure.ts';

export interface BatonSetup {
  readonly url: string;
  readonly host?: string;
  readonly leaseMs?: number;
  /** Handlers never end. */
  readonly endless?: boolean;
}

export interface Started {
  readonly i: number;
  /** On the clock shared by all processes. */
  readonly at: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const { url, endless, ...options } = JSON.parse(process.argv[2]!) as BatonSetup;
const queue = await postgresQueue({ url });
queue.register<{ i: number }>('noop', {
  run: ({ i }) => {
    const started: Started = { i, at: now(), time: Date.now() };
    process.send!(started);
    return endless === true ? new Promise(() => {}) : null;
  },
});
await new Worker(queue, options).start();
process.send!('joined');
process.on('disconnect', () => process.exit());
