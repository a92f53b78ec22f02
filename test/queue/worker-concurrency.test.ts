import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mostAtOnce } from '../../chaos/cluster/check/cap.ts';
import type { NodeView } from '../../src/contract/node.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

const PATIENCE_MS = 60_000;

/** Sends commands that run until they are released, and counts those that have begun. */
async function gatedRuns(server: Server, count: number) {
  const directory = temporaryDirectory();
  const trace = join(directory, 'trace');
  const gate = join(directory, 'gate');
  writeFileSync(trace, '');
  const command = `echo "start $BATON_AGENT_MARK" >>${trace}; until [ -e ${gate} ]; do sleep 0.05; done; echo "end $BATON_AGENT_MARK" >>${trace}`;
  const lines = (): string[] => readFileSync(trace, 'utf8').split('\n').slice(0, -1);
  const runs: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await server.session(`gated ${i}`);
    runs.push(await server.send(id, command));
  }
  return {
    begun: (): number => lines().filter((line) => line.startsWith('start ')).length,
    /** Releases all, waits for their end, and returns the maximum number that ran at a time. */
    async release(): Promise<number> {
      writeFileSync(gate, '');
      for (const run of runs) {
        expect((await server.finished(run, PATIENCE_MS)).state).toBe('succeeded');
      }
      return mostAtOnce(lines());
    },
  };
}

const capacityOf = async (server: Server): Promise<number[]> => {
  const { items } = await server.call<{ items: NodeView[] }>('GET', '/api/v1/nodes');
  return items.map(({ capacity }) => capacity);
};

test('[Q2] [O1] --max-concurrent-runs 12: one node executes twelve runs at a time', async () => {
  const server = await Server.start({ args: ['--port', '0', '--max-concurrent-runs', '12'] });
  expect(await capacityOf(server)).toEqual([12]);
  const runs = await gatedRuns(server, 14);
  await until(() => runs.begun() === 12, { ms: PATIENCE_MS });
  expect(await runs.release()).toBe(12);
}, 120_000);

test('[Q2] [O1] --worker-concurrency 2: a node executes two, whatever the limit of the cluster', async () => {
  const args = ['--port', '0', '--max-concurrent-runs', '12', '--worker-concurrency', '2'];
  const server = await Server.start({ args });
  expect(await capacityOf(server)).toEqual([2]);
  const runs = await gatedRuns(server, 4);
  await until(() => runs.begun() === 2, { ms: PATIENCE_MS });
  expect(await runs.release()).toBe(2);
}, 120_000);
