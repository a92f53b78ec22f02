import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunView } from '../../../src/contract/run-view.ts';
import { BatonServer, post, postMessage } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { median, now } from '../../measure.ts';

const AWAY_MS = 10_000;
const EVERY_MS = 20;
const PATIENCE_MS = 30_000;

/** The time from when the database accepts connections again until a message sent then starts. */
export const databaseBack: Case = async ({ resources, rounds, report }) => {
  const database = await resources.server();
  const setup = { database: database.url };
  const api = await BatonServer.start(resources, { ...setup, roles: ['api'] });
  const worker = await BatonServer.start(resources, { ...setup, roles: ['worker'] });
  const { id } = await api.session('outage');
  const { runId } = await api.send(id, 'true');
  await until(() => started(api, runId));

  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await database.stop();
    await delay(AWAY_MS);
    await database.start();
    const begun = now();
    const key = randomUUID();
    const send = () => postMessage(api.messagesOf(id), 'true', key);
    let sent = await send();
    await until(async () => {
      if (sent.status === 202) return true;
      sent = await send();
      return false;
    });
    const run = (JSON.parse(sent.body) as { runId: string }).runId;
    await until(() => started(api, run));
    seconds.push((now() - begun) / 1000);
  }
  report({ metric: 'database back → new run starts', value: median(seconds), unit: 's' });
  report({ metric: 'the same, slowest', value: Math.max(...seconds), unit: 's' });
  await worker.program.stop();
  await api.program.stop();
};

async function started(api: BatonServer, run: string): Promise<boolean> {
  const answer = await post(`${api.url}/api/v1/runs/${run}`, undefined, 'GET');
  return answer.status === 200 && (JSON.parse(answer.body) as RunView).startedAt !== null;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = now() + PATIENCE_MS;
  while (!(await condition())) {
    if (now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${condition}`);
    await delay(EVERY_MS);
  }
}
