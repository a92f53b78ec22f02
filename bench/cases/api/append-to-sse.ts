import { setTimeout as delay } from 'node:timers/promises';
import type { HandlerEvents } from '../../../src/contract/events/table.ts';
import { type AttemptContext, postgresQueue, Worker } from '../../../src/library.ts';
import { BatonServer, TOKEN } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { now, percentile } from '../../measure.ts';
import type { Arrival } from '../../programs/sse-readers.ts';
import type { Program, Resources } from '../../resources.ts';
import { compare } from '../../result.ts';
import { mustBe } from '../../workload.ts';

const SAMPLES = 500;
const WARM_UP = 50;

interface Contender {
  append(i: number): Promise<unknown>;
  readonly program: Program;
  close(): Promise<void>;
}

/** The time from an append, through a server, to an SSE client in another process. */
export const appendToSse: Case = async ({ resources, report }) => {
  const baton = await openBaton(resources);
  const bare = await openBare(resources);
  const times: Record<'baton' | 'bare', number[]> = { baton: [], bare: [] };
  for (let i = 1; i <= WARM_UP + SAMPLES; i++) {
    for (const [name, contender] of Object.entries({ baton, bare })) {
      const ms = await arrival(contender, i);
      if (i > WARM_UP) times[name as keyof typeof times].push(ms);
    }
  }
  await baton.close();
  await bare.close();
  for (const [metric, share] of [
    ['append → SSE client, p50', 0.5],
    ['append → SSE client, p99', 0.99],
  ] as const) {
    compare(
      report,
      { metric, value: percentile(times.baton, share), unit: 'ms' },
      { 'pg insert + LISTEN/NOTIFY': percentile(times.bare, share) },
    );
  }
};

async function arrival({ append, program }: Contender, i: number): Promise<number> {
  await delay(5 + Math.random() * 15);
  const begun = now();
  const [arrived] = await Promise.all([program.next(), append(i)]);
  mustBe('the event that arrived', (arrived as Arrival).i, i);
  return (arrived as Arrival).at - begun;
}

/** Like an agent's events: a run of the session's lane executes here, the server in another process. */
async function openBaton(resources: Resources): Promise<Contender> {
  const database = await resources.database();
  const server = await BatonServer.start(resources, { database: database.url });
  const session = await server.session('append to sse');
  const queue = await postgresQueue({ url: database.url });
  const emitting = Promise.withResolvers<AttemptContext<HandlerEvents>>();
  const over = Promise.withResolvers<void>();
  queue.register('emits', {
    run: async (_payload, context: AttemptContext<HandlerEvents>) => {
      emitting.resolve(context);
      await over.promise;
    },
  });
  const worker = new Worker(queue);
  await worker.start();
  // First, so that any worker that handles the type can claim the lane.
  await queue.configure(session.id, { host: null, pin: false });
  await queue.enqueue({ type: 'emits', lane: session.id });
  const { emit } = await emitting.promise;
  const url = `${server.url}/api/v1/sessions/${session.id}/events`;
  const program = resources.program('sse-readers', {
    url,
    token: TOKEN,
    readers: 1,
    forward: true,
  });
  await program.next();
  return {
    append: (i) => emit('run.progress', { text: 'x', i }),
    program,
    close: async () => {
      over.resolve();
      await worker.stop();
      await program.stop();
      await server.program.stop();
      await queue.close();
      await database.drop();
    },
  };
}

async function openBare(resources: Resources): Promise<Contender> {
  const database = await resources.database();
  await database.query('CREATE TABLE bare (i bigint PRIMARY KEY, payload text NOT NULL)');
  const program = resources.program('listener', { database: database.url });
  await program.next();
  return {
    append: (i) =>
      database.query(
        "WITH added AS (INSERT INTO bare VALUES ($1, $2) RETURNING i) SELECT pg_notify('bare', i::text) FROM added",
        [i, JSON.stringify({ text: 'x', i })],
      ),
    program,
    close: async () => {
      await program.stop();
      await database.drop();
    },
  };
}
