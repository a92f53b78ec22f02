// A worker process for chaos: executes runs with the public library only, and appends a line to a
// file before and after each step of its handlers.
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AbortReason,
  type AttemptContext,
  fail,
  handBack,
  type Logger,
  park,
  postgresQueue,
  Scheduler,
  Worker,
} from '../src/library.ts';
import { seeded } from '../test/support/seeded.ts';
import type { Entry } from './check/evidence.ts';
import { CAPS, CONCURRENCY, LEASE_MS, monotonic, type Work, type WorkerSetup } from './setup.ts';

const setup = JSON.parse(process.argv[2]!) as WorkerSetup;
const random = seeded(setup.seed);
const file = openSync(setup.file, 'a');
let executions = 0;
let marks = 0;

/** `until` is on the same clock as `at`: when this process stops relying on its lease. */
function record(
  entry: Omit<Entry, 'at' | 'wall' | 'pid' | 'until' | 'node'>,
  ofNode?: string | null,
) {
  const at = monotonic();
  const node = worker.nodeId;
  const left = worker.leaseRemainingMs;
  const until = left > 0 ? at + left : null;
  const same = ofNode === undefined || ofNode === node;
  const line: Entry = {
    ...entry,
    at,
    wall: Date.now(),
    pid: process.pid,
    node: same ? node : ofNode,
    until: same ? until : null,
  };
  writeSync(file, `${JSON.stringify(line)}\n`);
}

async function handle(work: Work, context: AttemptContext): Promise<unknown> {
  const { run, attempt, signal } = context;
  const node = worker.nodeId;
  const about = { run: run.id, lane: run.lane, attempt, execution: ++executions };
  record({ what: 'start', ...about });
  signal.addEventListener('abort', () =>
    record({ what: 'abort', ...about, reason: (signal.reason as AbortReason).kind }, node),
  );
  const emit = async (): Promise<void> => {
    const mark = `${process.pid}-${++marks}`;
    await context.emit('step.mark', { mark, node });
    record({ what: 'stored', ...about, mark }, node);
  };
  try {
    return await doWork(work, context, emit, node);
  } finally {
    record({ what: 'end', ...about }, node);
  }
}

async function doWork(
  { kind, ms }: Work,
  { attempt, signal, wait, commit }: AttemptContext,
  emit: () => Promise<void>,
  node: string | null,
): Promise<unknown> {
  const result = { node };
  const lost = (): boolean => (signal.reason as AbortReason | undefined)?.kind === 'lost';
  const deadline = monotonic() + ms;
  let step = 0;
  while (monotonic() < deadline) {
    await delay(Math.min(10, Math.max(1, deadline - monotonic())));
    if (signal.aborted && (kind !== 'deaf' || lost())) return undefined;
    if (kind === 'emits' && step++ % 2 === 0) await emit();
  }
  switch (kind) {
    case 'flaky':
      if (attempt < 3) throw new Error('meant to fail');
      return result;
    case 'final':
      return fail('invalid_request', 'meant to fail for good');
    case 'asks':
      await wait();
      await emit();
      return result;
    case 'commits':
      await commit(result);
      await delay(20);
      return result;
    case 'parks':
      return random() < 0.5 ? park(Date.now() + 100, 'not now') : result;
    case 'returns':
      return random() < 0.3 ? handBack('not here') : result;
    default:
      return result;
  }
}

const say = (fields: object, message: string): void => {
  const text = JSON.stringify(fields, (_, value) =>
    value instanceof Error ? (value.stack ?? value.message) : value,
  );
  process.stdout.write(`${Date.now()} ${message} ${text}\n`);
};
const log: Logger = { debug: () => {}, info: () => {}, warn: say, error: say };

const queue = await postgresQueue({ url: setup.url, log, poolSize: 5, waitMs: 600_000 });
const retry = { firstMs: 50, factor: 2, capMs: 200 };
for (const type of ['agent', 'step']) queue.register<Work>(type, { run: handle, retry });
const worker = new Worker(queue, {
  host: setup.host,
  leaseMs: LEASE_MS,
  concurrency: CONCURRENCY,
  caps: CAPS,
  graceMs: 2000,
});
const scheduler = new Scheduler({ store: queue.store, log });
process.once('SIGTERM', () => {
  clearInterval(sampler);
  void scheduler
    .stop()
    .then(() => worker.stop())
    .then(() => queue.close());
});

// Records each renewal, which shows how long a stopped process relied on its lease.
let known = 0;
const sampler = setInterval(() => {
  const until = monotonic() + worker.leaseRemainingMs;
  if (worker.leaseRemainingMs === 0 || Math.abs(until - known) < 5) return;
  known = until;
  record({ what: 'lease' });
}, 50);
scheduler.start();
await worker.start();
say({ node: worker.nodeId }, 'Ready');
