import pg from 'pg';
import { eventOf } from '../../src/contract/events/event-of.ts';
import type { AttemptWrite, ClaimedRun } from '../../src/queue/store.ts';
import { postgresStore } from '../../src/storage/postgres/store.ts';
import type { Case } from '../benches.ts';
import { interleave, medians, now, rate } from '../measure.ts';
import { claim, join, TYPE } from '../node.ts';
import type { Resources } from '../resources.ts';
import { compare } from '../result.ts';
import { mustBe } from '../workload.ts';

const LANES = 20;
const EVENTS_PER_LANE = 10;
const BATCHES = 250;
const BATCH = LANES * EVENTS_PER_LANE;
const EVENTS = BATCHES * BATCH;
/** The first batches, while query plans and code are cold. */
const WARM_UP = 10;

/** About as long as a line of an agent's output. */
const EVENT = eventOf('agent.message', { text: 'x'.repeat(160) });

/** Events under a fence with a gapless seq, against unchecked rows. */
export const append: Case = async ({ resources, rounds, report }) => {
  const { baton, ...peers } = medians(
    await interleave(rounds, {
      baton: () => appendToLog(resources),
      'pg unnest insert': () => insertRows(resources),
    }),
  );
  const metric = `append, batches of ${BATCH}`;
  compare(report, { metric, value: baton, unit: 'events/s' }, peers);
};

async function appendToLog(resources: Resources): Promise<number> {
  const database = await resources.database();
  const store = await postgresStore({ url: database.url });
  await join(store, LANES);
  await store.enqueue(
    Array.from({ length: LANES }, (_, i) => ({
      id: `run-${i}`,
      type: TYPE,
      payload: '{}',
      lane: `lane-${i}`,
      owner: '',
      runAt: null,
      delayMs: null,
      maxAttempts: 1,
      idempotencyKey: null,
      bodyHash: null,
      onBusy: 'enqueue' as const,
    })),
  );
  const claimed = await claim(store, LANES);
  const writes = (no: number) => claimed.map((one) => writeOf(one, no));
  for (let i = 1; i <= WARM_UP; i++) await store.write(writes(i));
  const begun = now();
  for (let i = 1; i <= BATCHES; i++) {
    const stored = await store.write(writes(WARM_UP + i));
    if (!stored.every(Boolean)) throw new Error('a write was refused');
  }
  const value = rate(EVENTS, now() - begun);
  const [row] = await database.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM baton.events WHERE type = '${EVENT.type}'`,
  );
  mustBe('events in the log', row!.n, EVENTS + WARM_UP * BATCH);
  await store.close();
  await database.drop();
  return value;
}

const writeOf = ({ run, fence }: ClaimedRun, no: number): AttemptWrite => ({
  lane: run.lane,
  fence,
  no,
  start: no === 1,
  events: Array.from({ length: EVENTS_PER_LANE }, () => EVENT),
});

async function insertRows(resources: Resources): Promise<number> {
  const database = await resources.database();
  // Opening the store once creates Baton's tables, which the peer's table copies.
  await (await postgresStore({ url: database.url })).close();
  await database.query('CREATE TABLE raw_events (LIKE baton.events INCLUDING ALL)');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (let i = 0; i < WARM_UP; i++) await insert(client, i);
  const begun = now();
  for (let i = 0; i < BATCHES; i++) await insert(client, WARM_UP + i);
  const value = rate(EVENTS, now() - begun);
  await client.end();
  const [row] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM raw_events');
  mustBe('rows inserted', row!.n, EVENTS + WARM_UP * BATCH);
  await database.drop();
  return value;
}

async function insert(client: pg.Client, batch: number): Promise<void> {
  const at = Date.now();
  const rows = Array.from({ length: BATCH }, (_, i) => ({
    lane: i % LANES,
    seq: batch * EVENTS_PER_LANE + Math.floor(i / LANES),
  }));
  await client.query({
    name: 'insert',
    text: `INSERT INTO raw_events (lane, seq, run_id, attempt, type, payload, at) SELECT * FROM
      unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[])`,
    values: [
      rows.map(({ lane }) => `lane-${lane}`),
      rows.map(({ seq }) => seq),
      rows.map(({ lane }) => `run-${lane}`),
      rows.map(() => 1),
      rows.map(() => EVENT.type),
      rows.map(() => JSON.stringify(EVENT.payload)),
      rows.map(() => at),
    ],
  });
}
