import { join } from 'node:path';
import { BatonServer, post } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { interleave, medians, now, percentile, rate } from '../../measure.ts';
import type { Place, Program } from '../../place.ts';
import { compare } from '../../result.ts';
import { mustBe } from '../../workload.ts';

const SESSIONS = 64;
const ONE_BY_ONE = 300;
const TOGETHER = 2000;
const CONNECTIONS = 32;

interface Contender {
  /** The URL of the i-th message. */
  readonly urlOf: (i: number) => string;
  close(): Promise<void>;
}

type Kind = 'SQLite' | 'PostgreSQL';

/** `POST messages` against a Fastify route with one insert, on the same database. */
export const postMessages: Case = async ({ place, rounds, report }) => {
  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    const baton = await openBaton(place, kind);
    const plain = await openPlain(place, kind);
    const p50 = medians(
      await interleave(rounds, {
        baton: () => oneByOne(baton),
        plain: () => oneByOne(plain),
      }),
    );
    const perSecond = medians(
      await interleave(rounds, {
        baton: () => together(baton),
        plain: () => together(plain),
      }),
    );
    const peer = 'fastify route with one insert';
    compare(
      report,
      { metric: `${kind}: p50`, value: p50.baton, unit: 'ms' },
      { [peer]: p50.plain },
    );
    compare(
      report,
      { metric: `${kind}: ${CONNECTIONS} connections`, value: perSecond.baton, unit: 'requests/s' },
      { [peer]: perSecond.plain },
    );
    await baton.close();
    await plain.close();
  }
};

async function oneByOne({ urlOf }: Contender): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ONE_BY_ONE; i++) {
    const begun = now();
    mustBe('the status', (await post(urlOf(i), { message: `echo ${i}` })).status, 202);
    times.push(now() - begun);
  }
  return percentile(times, 0.5);
}

async function together({ urlOf }: Contender): Promise<number> {
  let next = 0;
  const begun = now();
  const worker = async (): Promise<void> => {
    for (let i = next++; i < TOGETHER; i = next++) {
      mustBe('the status', (await post(urlOf(i), { message: `echo ${i}` })).status, 202);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return rate(TOGETHER, now() - begun);
}

/** Held sessions: the messages are queued and nothing runs beside what is measured. */
async function openBaton(place: Place, kind: Kind): Promise<Contender> {
  const database = kind === 'PostgreSQL' ? await place.database() : null;
  const server = await BatonServer.start(
    place,
    database === null ? {} : { database: database.url },
  );
  const ids: string[] = [];
  for (let i = 0; i < SESSIONS; i++) {
    const { id } = await server.session(`messages ${i}`);
    await server.call(`/api/v1/sessions/${id}/hold`);
    ids.push(id);
  }
  return {
    urlOf: (i) => `${server.url}/api/v1/sessions/${ids[i % SESSIONS]}/messages`,
    close: async () => {
      await server.program.stop();
      await database?.drop();
    },
  };
}

async function openPlain(place: Place, kind: Kind): Promise<Contender> {
  const database = kind === 'PostgreSQL' ? await place.database() : null;
  const program: Program = place.program(
    'plain-server',
    database === null ? { path: join(place.directory(), 'plain.db') } : { database: database.url },
  );
  const { url } = (await program.next()) as { url: string };
  return {
    urlOf: (i) => `${url}/sessions/${i % SESSIONS}/messages`,
    close: async () => {
      await program.stop();
      await database?.drop();
    },
  };
}
