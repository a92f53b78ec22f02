import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Answer, BatonServer, post, postMessage } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { interleave, medians, now, percentile, rate } from '../../measure.ts';
import type { Program, Resources } from '../../resources.ts';
import { compare } from '../../result.ts';
import { mustBe } from '../../workload.ts';

const SESSIONS = 64;
const ONE_BY_ONE = 300;
const WARM_UP = 50;
const TOGETHER = 2000;
const CONNECTIONS = 32;

interface Contender {
  /** The URL of the i-th message. */
  readonly urlOf: (i: number) => string;
  close(): Promise<void>;
}

type Kind = 'SQLite' | 'PostgreSQL';
type Send = (i: number) => Promise<Answer>;

/**
 * `POST messages` as clients send them, against a Fastify route with one insert on the same database,
 * and against the same without an idempotency key.
 */
export const postMessages: Case = async ({ resources, rounds, report }) => {
  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    const baton = await openBaton(resources, kind);
    const plain = await openPlain(resources, kind);
    let key = '';
    const send = {
      baton: (i) => {
        key = randomUUID();
        return postMessage(baton.urlOf(i), `echo ${i}`, key);
      },
      // As after a lost answer.
      again: (i) => postMessage(baton.urlOf(i), `echo ${i}`, key),
      withoutKey: (i) => post(baton.urlOf(i), { message: `echo ${i}`, onBusy: 'enqueue' }),
      plain: (i) => post(plain.urlOf(i), { message: `echo ${i}` }),
    } satisfies Record<string, Send>;
    const p50 = await oneByOne(rounds, send);
    const perSecond = medians(
      await interleave(rounds, {
        baton: () => together(send.baton),
        plain: () => together(send.plain),
      }),
    );
    const peer = 'fastify route with one insert';
    compare(
      report,
      { metric: `${kind}: p50`, value: p50.baton, unit: 'ms' },
      { [peer]: p50.plain, 'the same without a key': p50.withoutKey },
    );
    compare(
      report,
      { metric: `${kind}: sent again, p50`, value: p50.again, unit: 'ms' },
      { 'sent for the first time': p50.baton },
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

/** The median of the rounds' medians; contenders take turns request by request, under the same load. */
async function oneByOne<Name extends string>(
  rounds: number,
  sends: Readonly<Record<Name, Send>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(sends) as Name[];
  const ofRounds = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as typeof ofRounds;
    for (let i = round === 0 ? -WARM_UP : 0; i < ONE_BY_ONE; i++) {
      for (const name of names) {
        const begun = now();
        mustBe('the status', (await sends[name](Math.abs(i))).status, 202);
        if (i >= 0) times[name].push(now() - begun);
      }
    }
    for (const name of names) ofRounds[name].push(percentile(times[name], 0.5));
  }
  return medians(ofRounds);
}

async function together(send: Send): Promise<number> {
  let next = 0;
  const begun = now();
  const worker = async (): Promise<void> => {
    for (let i = next++; i < TOGETHER; i = next++) {
      mustBe('the status', (await send(i)).status, 202);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return rate(TOGETHER, now() - begun);
}

/** Sessions are held: messages are queued, and no run disturbs the measurement. */
async function openBaton(resources: Resources, kind: Kind): Promise<Contender> {
  const database = kind === 'PostgreSQL' ? await resources.database() : null;
  const server = await BatonServer.start(
    resources,
    database === null ? {} : { database: database.url },
  );
  const ids: string[] = [];
  for (let i = 0; i < SESSIONS; i++) {
    const { id } = await server.session(`messages ${i}`);
    await server.call(`/api/v1/sessions/${id}/hold`);
    ids.push(id);
  }
  return {
    urlOf: (i) => server.messagesOf(ids[i % SESSIONS]!),
    close: async () => {
      await server.program.stop();
      await database?.drop();
    },
  };
}

async function openPlain(resources: Resources, kind: Kind): Promise<Contender> {
  const database = kind === 'PostgreSQL' ? await resources.database() : null;
  const program: Program = resources.program(
    'plain-server',
    database === null
      ? { path: join(resources.directory(), 'plain.db') }
      : { database: database.url },
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
