import { join } from 'node:path';
import { newId } from '../../../src/contract/values/ids.ts';
import { sqliteStore } from '../../../src/storage/sqlite/store.ts';
import { BatonServer } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { median, now } from '../../measure.ts';

const SESSIONS = 10_000;
const AT_ONCE = 500;

/** The time from the start of the process until it is ready, with many sessions in its database. */
export const startReady: Case = async ({ resources, rounds, report }) => {
  const dataDir = resources.directory();
  await seed(join(dataDir, 'baton.db'));
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = now();
    const server = await BatonServer.start(resources, { dataDir });
    times.push((now() - begun) / 1000);
    await server.program.stop();
  }
  const metric = `process start → ready, ${SESSIONS} sessions`;
  report({ metric, value: median(times), unit: 's' });
};

async function seed(path: string): Promise<void> {
  const store = await sqliteStore({ path });
  for (let begun = 0; begun < SESSIONS; begun += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => create(begun + i)));
  }
  await store.close();

  async function create(i: number): Promise<void> {
    const id = newId();
    await store.createSession({
      id,
      ownerId: 'admin',
      name: `session ${i}`,
      description: '',
      tags: [],
      labels: [],
      agent: { kind: 'shell' },
      agentStanding: { channel: 'api' },
      workspace: { provider: 'directory' },
      isolation: 'none',
      templateConfig: null,
      idleTimeoutSeconds: 86_400,
      budgetUsd: null,
      holdOnFailure: true,
      pin: true,
      host: null,
      forkPoint: null,
      usageBefore: null,
      forkedFrom: null,
    });
    await store.changeSession(id, { do: 'ready', path: '/tmp' });
  }
}
