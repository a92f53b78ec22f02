import { BatonServer, TOKEN } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { median } from '../../measure.ts';

const STREAMS = 1500;

/** The memory of an idle server process, and of each idle stream. */
export const serverMemory: Case = async ({ resources, rounds, report }) => {
  const rest: number[] = [];
  const perStream: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await BatonServer.start(resources, {
      settings: { BATON_STREAM_LIMIT: String(STREAMS) },
    });
    const session = await server.session('memory');
    const before = await server.memory();
    const url = `${server.url}/api/v1/sessions/${session.id}/events`;
    const readers = resources.program('sse-readers', { url, token: TOKEN, readers: STREAMS });
    await readers.next();
    const after = await server.memory();
    rest.push(before / 1e6);
    perStream.push((after - before) / STREAMS / 1000);
    await readers.stop('SIGKILL');
    await server.program.stop();
  }
  report({ metric: 'server at rest, resident', value: median(rest), unit: 'MB' });
  report({ metric: 'per idle stream', value: median(perStream), unit: 'kB' });
};
