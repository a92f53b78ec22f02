import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BatonServer } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { now, rate } from '../../measure.ts';
import type { Resources } from '../../resources.ts';
import { SessionStream } from './session-stream.ts';

const BYTES = 200e6;
const WARM_UP_BYTES = 5e6;
const SAMPLE_MS = 50;

/**
 * How much the memory of the server grows while one run prints a lot and a client follows it, and
 * how much of that remains.
 */
export const output: Case = async ({ resources, report }) => {
  const server = await BatonServer.start(resources, {
    settings: { BATON_CLAUDE_PATH: standIn(resources) },
  });
  const { id } = await server.session('output', 'claude');
  const stream = await SessionStream.open(server.url, id);
  const print = async (bytes: number): Promise<void> => {
    const done = stream.done();
    await server.send(id, String(bytes));
    await done;
  };

  await print(WARM_UP_BYTES);
  const before = await server.memory();
  const begun = now();
  let over = false;
  const printing = print(BYTES).finally(() => {
    over = true;
  });
  let most = before;
  while (!over) {
    most = Math.max(most, await server.resident());
    await delay(SAMPLE_MS);
  }
  await printing;
  const ms = now() - begun;
  const after = await server.memory();
  stream.close();
  await server.program.stop();
  report({ metric: '200 MB of output, memory grows by', value: (most - before) / 1e6, unit: 'MB' });
  report({ metric: 'of which remains', value: (after - before) / 1e6, unit: 'MB' });
  report({ metric: 'output taken', value: rate(BYTES / 1e6, ms), unit: 'MB/s' });
};

/** A program that replaces Claude Code. */
function standIn(resources: Resources): string {
  const path = join(resources.directory(), 'claude');
  const program = fileURLToPath(new URL('../../programs/talkative-agent.ts', import.meta.url));
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}'\n`, { mode: 0o755 });
  return path;
}
