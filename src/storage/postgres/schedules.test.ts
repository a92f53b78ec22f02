import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { faultyStore } from '../../../test/support/faulty-store.ts';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import {
  fireDueTicks,
  scheduleQueue,
  TestClock,
  ticksOf,
} from '../../../test/support/schedule-rig.ts';
import { BatonError } from '../../contract/errors.ts';
import { postgresStore } from './store.ts';

const MINUTE = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

let schemas = 0;
/** Two nodes on one database, each with its own connections, and one clock. */
async function twoNodes() {
  const clock = new TestClock('2026-05-01T10:00:00Z');
  const schema = `s${++schemas}`;
  const open = () => postgresStore({ url: database.url, schema, clock: clock.read });
  const [a, b] = await Promise.all([open(), open()]);
  onTestFinished(async () => {
    await Promise.all([a.close(), b.close()]);
  });
  const queue = scheduleQueue(a);
  return { clock, schema, a, b, queue };
}

test('[Q13] two nodes racing for 50 ticks fire each exactly once', async () => {
  const { clock, a, b, queue } = await twoNodes();
  await queue.schedule({ id: 'x', cron: '* * * * *', type: 'any', lane: 'l' });
  await queue.schedule({ id: 'y', cron: '* * * * *', type: 'any' });
  const start = clock.now;
  for (let i = 0; i < 50; i++) {
    clock.now += MINUTE;
    const fired = await Promise.all([
      fireDueTicks(a),
      fireDueTicks(b),
      fireDueTicks(a),
      fireDueTicks(b),
    ]);
    expect(fired.reduce((sum, n) => sum + n)).toBe(2);
  }
  const minutes = Array.from({ length: 50 }, (_, i) => start + (i + 1) * MINUTE);
  const ticks = await ticksOf(b);
  for (const id of ['x', 'y']) {
    expect(ticks.filter(({ schedule }) => schedule === id).map(({ at }) => at)).toEqual(minutes);
  }
});

test('[Q13] nodes that race while a schedule is edited fire each tick once, none with old data', async () => {
  const { clock, a, b, queue } = await twoNodes();
  const other = scheduleQueue(b);
  await queue.schedule({ id: 'x', cron: '* * * * *', type: 'any', payload: 0 });
  for (let i = 1; i <= 20; i++) {
    await queue.editSchedule('x', { payload: i });
    clock.now += MINUTE;
    await Promise.all([
      fireDueTicks(a),
      fireDueTicks(b),
      other.editSchedule('x', { owner: `o${i}` }),
    ]);
    await fireDueTicks(a);
  }
  const runs = await queue.list();
  expect(runs.map(({ payload }) => payload)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test('[Q13] a crash before the commit loses no tick, and one after it fires none twice', async () => {
  const { clock, a, b, queue } = await twoNodes();
  await queue.schedule({ cron: '* * * * *', type: 'any' });
  const { store: dying, faults } = faultyStore(a);
  clock.now += MINUTE;
  faults.before = (method) => {
    if (method === 'fireSchedule') throw new BatonError('database_unreachable');
  };
  await expect(fireDueTicks(dying)).rejects.toThrow();
  expect(await fireDueTicks(b)).toBe(1);
  faults.before = null;
  clock.now += MINUTE;
  faults.loseAnswers = { method: 'fireSchedule', times: 1 };
  await expect(fireDueTicks(dying)).rejects.toThrow('after the commit');
  expect(await fireDueTicks(b)).toBe(0);
  expect(await fireDueTicks(a)).toBe(0);
  expect(await ticksOf(b)).toHaveLength(2);
});

test('[Q13] a connection cut between the schedule and its run undoes both', async () => {
  const { clock, schema, a, b, queue } = await twoNodes();
  await queue.schedule({ id: 'x', cron: '* * * * *', type: 'any' });
  clock.now += MINUTE;
  const admin = new pg.Client({
    connectionString: database.url,
    options: `-csearch_path=${schema}`,
  });
  await admin.connect();
  onTestFinished(() => admin.end());
  // The schedule's row is written by then; the server ends the connection at the insert of the run.
  await admin.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END $$`);
  await admin.query('CREATE TRIGGER die BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION die()');
  const before = await b.getSchedule('x');
  await expect(fireDueTicks(a)).rejects.toMatchObject({ code: 'database_unreachable' });
  expect(await b.getSchedule('x')).toEqual(before);
  await admin.query('DROP TRIGGER die ON runs');
  expect(await fireDueTicks(b)).toBe(1);
  expect(await fireDueTicks(a)).toBe(0);
  expect(await ticksOf(a)).toMatchObject([{ at: clock.now, missed: false }]);
});

test('[Q13] nodes that start after a long downtime fire a schedule once', async () => {
  const { clock, a, b, queue } = await twoNodes();
  await queue.schedule({ cron: '*/5 * * * *', type: 'any' });
  clock.now += 90 * 86_400_000;
  await Promise.all([fireDueTicks(a), fireDueTicks(b)]);
  await Promise.all([fireDueTicks(a), fireDueTicks(b)]);
  expect(await ticksOf(a)).toMatchObject([{ missed: true }]);
});

test('[Q13] due schedules are read through the index', async () => {
  const { schema, queue } = await twoNodes();
  await queue.schedule({ cron: '* * * * *', type: 'any' });
  const admin = new pg.Client({
    connectionString: database.url,
    options: `-csearch_path=${schema}`,
  });
  await admin.connect();
  onTestFinished(() => admin.end());
  await admin.query(`INSERT INTO schedules SELECT 'f' || i, '* * * * *', 'UTC', NULL, 't', '{}', NULL, '',
    5, 0, 4000000000000 + i, NULL, NULL, 'v', 0, 0 FROM generate_series(1, 5000) i`);
  await admin.query('ANALYZE schedules');
  for (const statement of [
    'SELECT * FROM schedules WHERE next_at <= 9 AND (next_at, id) > (-1, $$$$) ORDER BY next_at, id LIMIT 20',
    'SELECT min(next_at) AS at FROM schedules WHERE next_at > 9',
  ]) {
    const { rows } = await admin.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/schedules_due/);
  }
});
