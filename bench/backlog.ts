import type { Store } from '../src/queue/store.ts';
import { postgresStore } from '../src/storage/postgres/store.ts';
import { median, now } from './measure.ts';
import { claim, handBack, join, TYPE } from './node.ts';
import type { Database, Resources } from './resources.ts';
import { mustBe } from './workload.ts';

export interface Shape {
  /** Ready lanes, each with ten queued runs. */
  readonly lanes: number;
  readonly users: number;
  /** Queued runs in one additional lane, which has waited longest. */
  readonly longLane?: number;
}

const RUNS_PER_LANE = 10;
const CLAIM = 8;
const WARM_UP = 20;

interface Backlog {
  readonly name: string;
  readonly shape: Shape;
  readonly database: Database;
  readonly store: Store;
}

/** Medians, in milliseconds, of interleaved claims from databases with these backlogs. */
export async function claimTimes<Name extends string>(
  resources: Resources,
  shapes: Readonly<Record<Name, Shape>>,
  samples: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(shapes) as Name[];
  const backlogs: Backlog[] = [];
  for (const name of names) backlogs.push(await open(resources, name, shapes[name]));
  const times = new Map(names.map((name) => [name as string, [] as number[]]));
  for (let i = -WARM_UP; i < samples; i++) {
    for (const { name, store } of backlogs) {
      const begun = now();
      const claimed = await claim(store, CLAIM);
      const ms = now() - begun;
      mustBe(`runs claimed from ${name}`, claimed.length, CLAIM);
      if (i >= 0) times.get(name)!.push(ms);
      await handBack(store, claimed);
    }
  }
  for (const { name, shape, database, store } of backlogs) {
    mustBe(`runs queued in ${name}`, (await store.counts()).queued, queuedIn(shape));
    await store.close();
    await database.drop();
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, median(values)])) as Record<
    Name,
    number
  >;
}

const queuedIn = ({ lanes, longLane = 0 }: Shape): number => lanes * RUNS_PER_LANE + longLane;

async function open(resources: Resources, name: string, shape: Shape): Promise<Backlog> {
  const database = await resources.database();
  const store = await postgresStore({ url: database.url });
  await seed(database, shape);
  await database.vacuum();
  await join(store, 1000);
  return { name, shape, database, store };
}

/** With SQL, because enqueueing a million runs takes longer than all measurements. */
async function seed(database: Database, shape: Shape): Promise<void> {
  const { lanes, users, longLane = 0 } = shape;
  await database.query('SET search_path = baton');
  await database.query(seedLanes(`'lane-' || i`, `(i % ${users})`, RUNS_PER_LANE, lanes));
  await database.query(seedRuns(`'lane-' || i`, `(i % ${users})`, RUNS_PER_LANE, lanes));
  if (longLane > 0) {
    await database.query(seedLanes(`'long'`, '0', longLane, 1));
    await database.query(seedRuns(`'long'`, '0', longLane, 1));
  }
  await database.query(`INSERT INTO run_counts VALUES ('queued', ${queuedIn(shape)})`);
}

const seedLanes = (lane: string, user: string, queued: number, lanes: number): string => `
  INSERT INTO lanes (id, owner, host, pin, hold_on_failure, kept, state, held, head_type, queued, ready_at,
    fence, last_write, next_position, last_position, next_seq)
  SELECT ${lane}, 'user-' || ${user}, '', 0, 0, 0, 'ready', 0, '${TYPE}', ${queued}, i, 0, 0,
    1024 * ${queued + 1}, 0, 1 FROM generate_series(1, ${lanes}) i`;

const seedRuns = (lane: string, user: string, queued: number, lanes: number): string => `
  INSERT INTO runs (id, lane, owner, type, payload, state, attempts, max_attempts, crashes, position, kept,
    created_at, updated_at, first_seq)
  SELECT ${lane} || '-' || k, ${lane}, 'user-' || ${user}, '${TYPE}', '{}', 'queued', 0, 5, 0, k * 1024, 0,
    0, 0, 1 FROM generate_series(1, ${lanes}) i, generate_series(1, ${queued}) k`;
