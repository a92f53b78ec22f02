// graphile-worker in a separate process: reports when it is ready and when a task starts.
import { run } from 'graphile-worker';
import { now } from '../measure.ts';
import { silent } from '../peers/graphile-worker.ts';
import type { Started } from './baton-worker.ts';

const { url } = JSON.parse(process.argv[2]!) as { url: string };
// Without a local queue and batches: both trade start latency for throughput.
await run({
  connectionString: url,
  concurrency: 10,
  maxPoolSize: 12,
  logger: silent,
  noHandleSignals: true,
  taskList: {
    noop: (payload) => {
      const { i } = payload as { i: number };
      const started: Started = { i, at: now(), time: Date.now() };
      process.send!(started);
    },
  },
});
process.send!('joined');
process.on('disconnect', () => process.exit());
