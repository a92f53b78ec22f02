import { BatonServer, TOKEN } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { median } from '../../measure.ts';
import type { Report } from '../../programs/sse-latency.ts';
import { mustBe } from '../../workload.ts';

const SESSIONS = 10;
const PER_SECOND = 2000;
const SECONDS = 5;

/**
 * The time from an append in a worker process to an SSE client of an API node in a third process,
 * with 2,000 events per second in ten sessions, which were created on another API node.
 */
export const appendToOther: Case = async ({ resources, rounds, report }) => {
  const database = await resources.database();
  const start = () => BatonServer.start(resources, { database: database.url, roles: ['api'] });
  const [one, other] = [await start(), await start()];
  const p50: number[] = [];
  const p99: number[] = [];
  // The first round only warms up.
  for (let round = 0; round <= rounds; round++) {
    const lanes: string[] = [];
    for (let i = 0; i < SESSIONS; i++) lanes.push((await one.session(`append ${round} ${i}`)).id);
    const urls = lanes.map((id) => `${other.url}/api/v1/sessions/${id}/events`);
    const readers = resources.program('sse-latency', { urls, token: TOKEN });
    await readers.next();
    const emitter = resources.program('emitter', {
      database: database.url,
      lanes,
      perSecond: PER_SECOND,
      seconds: SECONDS,
    });
    const sent = (await emitter.next()) as number;
    readers.process.send(sent);
    const got = (await readers.next()) as Report;
    await readers.stop();
    await emitter.stop();
    mustBe('events received', got.count, sent);
    mustBe('events out of order', got.broken, 0);
    if (round === 0) continue;
    p50.push(got.p50);
    p99.push(got.p99);
  }
  report({ metric: `append → SSE, ${PER_SECOND}/s, p50`, value: median(p50), unit: 'ms' });
  report({ metric: `append → SSE, ${PER_SECOND}/s, p99`, value: median(p99), unit: 'ms' });
  for (const node of [one, other]) await node.program.stop();
  await database.drop();
};
