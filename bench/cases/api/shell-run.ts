import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { BatonServer, TOKEN } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { now, percentile } from '../../measure.ts';

const SAMPLES = 60;
const WARM_UP = 5;
const COMMAND = 'echo hi';

/** The time from a message with a shell command until its `done` reaches a client, minus the bare command. */
export const shellRun: Case = async ({ resources, report }) => {
  const server = await BatonServer.start(resources);
  const { id } = await server.session('shell runs');
  const ends = await follow(`${server.url}/api/v1/sessions/${id}/events`);
  const through: number[] = [];
  const bare: number[] = [];
  for (let i = -WARM_UP; i < SAMPLES; i++) {
    const begun = now();
    const ended = ends.next();
    await server.send(id, COMMAND);
    await ended;
    const between = now();
    await once(
      spawn('/bin/sh', ['-c', COMMAND]).on('error', () => {}),
      'close',
    );
    const over = now();
    if (i < 0) continue;
    through.push(between - begun);
    bare.push(over - between);
  }
  ends.close();
  await server.program.stop();
  const [batonMs, bareMs] = [percentile(through, 0.5), percentile(bare, 0.5)];
  report({ metric: 'message → done at the client, p50', value: batonMs, unit: 'ms' });
  report({ metric: 'sh -c, p50', value: bareMs, unit: 'ms' });
  report({ metric: 'added, p50', value: batonMs - bareMs, unit: 'ms' });
};

/** Resolves `next()` at each `done` of the stream. */
async function follow(url: string): Promise<{ next(): Promise<void>; close(): void }> {
  let wake = (): void => {};
  const request = get(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  const [answer] = (await once(request, 'response')) as [NodeJS.ReadableStream];
  answer.setEncoding('utf8');
  answer.on('data', (piece: unknown) => {
    if (String(piece).includes('event: done\n')) wake();
  });
  answer.on('error', () => {});
  return {
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    close: () => void request.destroy(),
  };
}
