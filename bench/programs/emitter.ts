// A worker whose runs append events with timestamps to their lanes' logs at a steady rate.
// Argument: { database, lanes, perSecond, seconds }. Message out: the number of events, at the end.
import { setTimeout as delay } from 'node:timers/promises';
import type { HandlerEvents } from '../../src/contract/events/table.ts';
import { type AttemptContext, postgresQueue, Worker } from '../../src/library.ts';
import { now } from '../measure.ts';

interface Setup {
  readonly database: string;
  readonly lanes: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

const { database, lanes, perSecond, seconds } = JSON.parse(process.argv[2]!) as Setup;
const queue = await postgresQueue({ url: database });
const contexts: AttemptContext<HandlerEvents>[] = [];
const all = Promise.withResolvers<void>();
const over = Promise.withResolvers<void>();
queue.register('emits', {
  run: async (_payload, context: AttemptContext<HandlerEvents>) => {
    if (contexts.push(context) === lanes.length) all.resolve();
    await over.promise;
  },
});
const worker = new Worker(queue);
await worker.start();
for (const lane of lanes) {
  // Any worker that handles the type can claim it.
  await queue.configure(lane, { host: null, pin: false });
  await queue.enqueue({ type: 'emits', lane });
}
await all.promise;

const total = perSecond * seconds;
const emitted: Promise<unknown>[] = [];
const begun = now();
while (emitted.length < total) {
  const due = Math.min(total, Math.floor(((now() - begun) / 1000) * perSecond));
  while (emitted.length < due) {
    const i = emitted.length;
    const { emit } = contexts[i % contexts.length]!;
    emitted.push(emit('run.progress', { text: 'x', i, sent: now() }));
  }
  await delay(1);
}
await Promise.all(emitted);
process.send!(total);
over.resolve();
process.on(
  'SIGTERM',
  () =>
    void worker
      .stop()
      .then(() => queue.close())
      .then(() => process.exit(0)),
);
