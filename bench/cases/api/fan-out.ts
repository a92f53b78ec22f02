import { eventOf } from '../../../src/contract/events/event-of.ts';
import { postgresQueue } from '../../../src/library.ts';
import { BatonServer, TOKEN } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { median, now, rate } from '../../measure.ts';
import type { Report } from '../../programs/sse-readers.ts';
import { mustBe } from '../../workload.ts';

const READERS = 1000;
const EVENTS = 400;

/** One log read by a thousand readers on one node. */
export const fanOut: Case = async ({ resources, rounds, report }) => {
  const rates: number[] = [];
  let lost = 0;
  for (let round = 0; round < rounds; round++) {
    const database = await resources.database();
    const server = await BatonServer.start(resources, {
      database: database.url,
      settings: { BATON_STREAM_LIMIT: String(READERS) },
    });
    const session = await server.session('fan out');
    const url = `${server.url}/api/v1/sessions/${session.id}/events`;
    const readers = resources.program('sse-readers', { url, token: TOKEN, readers: READERS });
    await readers.next();
    const queue = await postgresQueue({ url: database.url });
    const begun = now();
    for (let i = 1; i <= EVENTS; i++) {
      const event = eventOf('run.progress', { text: 'x'.repeat(100), i });
      await queue.store.change({ do: 'note', lane: session.id, event });
    }
    const wanted = READERS * EVENTS;
    let got = { delivered: 0, broken: 0, lastAt: 0 } as Report;
    for (const until = now() + 30_000; got.delivered < wanted && now() < until; ) {
      readers.process.send('report');
      got = (await readers.next()) as Report;
    }
    lost += wanted - got.delivered;
    mustBe('readers with gaps', got.broken, 0);
    rates.push(rate(got.delivered, got.lastAt - begun));
    await readers.stop('SIGKILL');
    await server.program.stop();
    await queue.close();
    await database.drop();
  }
  report({ metric: '1,000 readers of one log', value: median(rates), unit: 'events/s' });
  report({ metric: 'lost', value: lost, unit: 'events' });
};
