// A durable queue in one file, used without a server:
//
//   npm install baton zod
//   node queue.ts
import { sqliteQueue, Worker } from 'baton/queue';
import { z } from 'zod';

const queue = await sqliteQueue({ path: process.argv[2] ?? 'queue.db' });

// A type of run: its payload and its handler.
queue.register('mail', {
  payload: z.object({ to: z.string(), text: z.string() }),
  run: async ({ to, text }, { attempt, progress, signal }) => {
    await progress({ to, attempt });
    signal.throwIfAborted();
    if (text === 'first' && attempt === 1) throw new Error('The mail server is busy.');
    console.log(`To ${to}: ${text}`);
    return { sent: true };
  },
  retry: { firstMs: 100, factor: 2, capMs: 60_000 },
});

// The runs of one lane are executed one at a time, in order; a retry keeps its position. They are
// stored once the promise resolves, and are executed even if this process then dies.
const receipts = await queue.enqueue([
  { type: 'mail', lane: 'sales', payload: { to: 'sales', text: 'first' } },
  { type: 'mail', lane: 'sales', payload: { to: 'sales', text: 'second' } },
  { type: 'mail', lane: 'support', payload: { to: 'support', text: 'in between' }, delayMs: 50 },
]);

const worker = new Worker(queue, { concurrency: 5 });
await worker.start();
while ((await queue.counts()).succeeded < receipts.length) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}

// Each lane has a log of all its events, without gaps.
for (const { seq, type, attempt } of await queue.events('sales')) console.log(seq, type, attempt);

await worker.stop();
await queue.close();
