import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Gate, rig } from '../../../test/support/worker-rig.ts';
import { BatonError } from '../../contract/errors.ts';

const away = new BatonError('database_unreachable');

test('[O5] an outage shorter than the lease does not disturb running attempts', async () => {
  const { queue, worker, reaches, faults, log } = rig();
  const gate = new Gate();
  let aborted = false;
  queue.register('work', {
    run: async (_, { signal, progress }) => {
      await gate.pass();
      await progress('after the outage');
      aborted = signal.aborted;
      return 'done';
    },
  });
  const { id, lane } = await queue.enqueue({ type: 'work' });
  await worker({ leaseMs: 60_000 }).start();
  await reaches(id, 'running');
  faults.away = away;
  const calls = faults.calls.get('write') ?? 0;
  gate.open();
  await until(() => (faults.calls.get('write') ?? 0) >= calls + 3);
  faults.away = null;
  await reaches(id, 'succeeded');
  expect(aborted).toBe(false);
  expect(await queue.get(id)).toMatchObject({ attempts: 1, crashes: 0 });
  const events = await queue.events(lane);
  expect(events.filter(({ type }) => type === 'run.progress')).toHaveLength(1);
  expect(log.of('The database is not responding; retrying')).toHaveLength(1);
  await until(() => log.of('The database is responding again').length === 1);
});

test('[O5] in an outage longer than the lease handlers stop, and runs continue afterwards', async () => {
  const { queue, worker, reaches, faults, log } = rig();
  let calls = 0;
  queue.register('work', {
    run: (_, { signal }) => {
      if (++calls > 1) return 'done';
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const { id } = await queue.enqueue({ type: 'work' });
  const one = worker({ leaseMs: 200, renewMs: 40 });
  await one.start();
  await reaches(id, 'running');
  faults.away = away;
  await until(() => log.of('Lost').length === 1);
  expect(one.nodeId).toBe(null);
  expect(one.leaseRemainingMs).toBe(0);
  faults.away = null;
  await reaches(id, 'succeeded');
  expect(log.of('LeaseLost')).toHaveLength(1);
  expect(await queue.get(id)).toMatchObject({ attempts: 1, crashes: 1 });
});

test('[O5] a worker started while the database is away joins when it is back', async () => {
  const { queue, worker, reaches, faults, log } = rig();
  queue.register('work', { run: () => null });
  faults.away = away;
  const one = worker();
  const started = one.start();
  await until(() => (faults.calls.get('join') ?? 0) >= 3);
  expect(one.nodeId).toBe(null);
  faults.away = null;
  await started;
  const { id } = await queue.enqueue({ type: 'work' });
  await reaches(id, 'succeeded');
  expect(log.of('The database is not responding; retrying')).toHaveLength(1);
});

test('[O5] a worker can be stopped while the database is away', async () => {
  const { queue, worker, reaches, faults } = rig();
  queue.register('work', {
    run: (_, { signal }) => new Promise<void>((resolve) => (signal.onabort = () => resolve())),
  });
  const { id } = await queue.enqueue({ type: 'work' });
  const running = worker({ returnMs: 50 });
  await running.start();
  await reaches(id, 'running');
  faults.away = away;
  const never = worker();
  const started = never.start();
  await until(() => (faults.calls.get('join') ?? 0) >= 2);
  await Promise.all([running.stop({ immediate: true }), never.stop(), started]);
});

test('a full disk stops writes but not reads, and is logged once', async () => {
  const { queue, worker, reaches, faults, log } = rig();
  queue.register('work', { run: () => null });
  await worker().start();
  let polls = 0;
  faults.before = (method) => {
    if (method === 'poll') polls++;
    if (['claim', 'write', 'enqueue'].includes(method)) throw new BatonError('disk_full');
  };
  await expect(queue.enqueue({ type: 'work' })).rejects.toMatchObject({ code: 'disk_full' });
  const before = polls;
  await until(() => polls > before + 10);
  faults.before = null;
  const { id } = await queue.enqueue({ type: 'work' });
  await reaches(id, 'succeeded');
  expect(log.of('The database is not responding; retrying')).toHaveLength(1);
  expect(log.of('The database is responding again')).toHaveLength(1);
});

test('a write that the database refuses fails only its own run', async () => {
  const { queue, worker, reaches, faults, log } = rig();
  queue.register('work', { maxAttempts: 1, run: (payload) => payload });
  faults.before = (method, args) => {
    if (method === 'write' && JSON.stringify(args).includes('unstorable')) {
      throw new BatonError('database_failed', 'invalid byte sequence');
    }
  };
  const receipts = await queue.enqueue(
    ['one', 'unstorable', 'two'].map((payload) => ({ type: 'work', payload })),
  );
  const [one, bad, two] = receipts.map(({ id }) => id) as [string, string, string];
  await worker().start();
  await reaches(one, 'succeeded');
  await reaches(two, 'succeeded');
  await reaches(bad, 'dead');
  expect((await queue.get(bad))?.error?.message).toContain('invalid byte sequence');
  expect(log.of('A write was refused')).toHaveLength(1);
});

test('[Q14] an attempt whose only write is refused counts as a failure and is retried', async () => {
  const { queue, worker, reaches, faults } = rig();
  queue.register('work', { run: () => 'unstorable' });
  faults.before = (method, args) => {
    if (method === 'write' && JSON.stringify(args).includes('"result":"unstorable"')) {
      throw new BatonError('database_failed', 'invalid byte sequence');
    }
  };
  const { id } = await queue.enqueue({ type: 'work' });
  await worker().start();
  await reaches(id, 'retry_scheduled');
  expect(await queue.get(id)).toMatchObject({ attempts: 1, startedAt: expect.any(Number) });
});

test('closing the store under a worker makes it neither loop nor throw', async () => {
  const { queue, worker, base } = rig();
  queue.register('work', { run: () => null });
  const one = worker();
  await one.start();
  await base.close();
  await one.stop();
  await expect(worker().start()).rejects.toMatchObject({ code: 'closed' });
});
