import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/support/server-rig.ts';
import { BatonServer, post } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { median, now, percentile } from '../../measure.ts';
import { mustBe } from '../../workload.ts';

const SAMPLES = 1000;
const WARM_UP = 300;
const BYTES = 4096;

/**
 * `GET` of an artefact through a node of another host, against the same from the node that has it. The
 * requests take turns.
 */
export const forward: Case = async ({ resources, rounds, report }) => {
  const database = await resources.database();
  const [port, dataDir] = [await freePort(), resources.directory()];
  const start = (host: string, more: { port?: number; dataDir?: string } = {}) =>
    BatonServer.start(resources, {
      ...more,
      database: database.url,
      settings: {
        BATON_HOST_ID: host,
        ...(more.port === undefined ? {} : { BATON_NODE_URL: `http://127.0.0.1:${more.port}` }),
      },
    });
  const nodes = { there: await start('two', { port, dataDir }), forwarded: await start('one') };
  const { id } = await nodes.there.call<{ id: string }>('/api/v1/sessions', {
    ...{ name: 'forward', agent: { kind: 'shell' }, workspace: { host: 'two' } },
  });
  mkdirSync(join(dataDir, 'artefacts', id), { recursive: true });
  writeFileSync(join(dataDir, 'artefacts', id, 'a-b.txt'), 'x'.repeat(BYTES));

  const added: number[] = [];
  const forwarded: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const times = { there: [] as number[], forwarded: [] as number[] };
    for (let i = round === 0 ? -WARM_UP : 0; i < SAMPLES; i++) {
      for (const where of ['there', 'forwarded'] as const) {
        const begun = now();
        const path = `/api/v1/sessions/${id}/artefacts/a-b.txt`;
        const answer = await post(`${nodes[where].url}${path}`, undefined, 'GET');
        const ms = now() - begun;
        mustBe('the status', answer.status, 200);
        mustBe('the length', answer.body.length, BYTES);
        if (i >= 0) times[where].push(ms);
      }
    }
    forwarded.push(percentile(times.forwarded, 0.5));
    added.push(percentile(times.forwarded, 0.5) - percentile(times.there, 0.5));
  }
  for (const node of Object.values(nodes)) await node.program.stop();
  await database.drop();
  report({ metric: 'artefact of another host, p50', value: median(forwarded), unit: 'ms' });
  report({ metric: 'added by the hop, p50', value: median(added), unit: 'ms' });
};
