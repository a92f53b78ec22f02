import { randomUUID } from 'node:crypto';
import type { Case } from '../../benches.ts';
import { median, now } from '../../measure.ts';
import { compare } from '../../result.ts';
import { runBare } from './bare.ts';
import { openClaude } from './claude.ts';
import { SessionStream } from './session-stream.ts';

const SAMPLES_PER_ROUND = 5;
const WARM_UP = 2;
const MESSAGE = 'hello';

/**
 * The time from a message in a new session until its `done` reaches a client, against Claude Code
 * from start to exit with the same flags, input and model.
 */
export const hello: Case = async ({ resources, rounds, report }) => {
  const scene = await openClaude(resources);
  const { server } = scene;

  const through = async (): Promise<number> => {
    const { id } = await server.session(`hello ${randomUUID()}`, 'claude');
    const stream = await SessionStream.open(server.url, id);
    const begun = now();
    const done = stream.done();
    await server.send(id, MESSAGE);
    await done;
    const ms = now() - begun;
    stream.close();
    return ms;
  };
  const bare = async (): Promise<number> => {
    const cwd = resources.directory();
    const begun = now();
    const conversation = { how: 'begin', id: randomUUID() } as const;
    await runBare(scene, { message: MESSAGE, cwd, conversation });
    return now() - begun;
  };

  const times: Record<'baton' | 'bare', number[]> = { baton: [], bare: [] };
  for (let i = -WARM_UP; i < SAMPLES_PER_ROUND * rounds; i++) {
    const batonMs = await through();
    const bareMs = await bare();
    if (i < 0) continue;
    times.baton.push(batonMs);
    times.bare.push(bareMs);
  }
  await scene.close();
  compare(
    report,
    { metric: 'message → done at the client, p50', value: median(times.baton), unit: 'ms' },
    { '@anthropic-ai/claude-code alone': median(times.bare) },
  );
  const added = times.baton.map((ms, i) => ms - times.bare[i]!);
  report({ metric: 'added, p50', value: median(added), unit: 'ms' });
};
