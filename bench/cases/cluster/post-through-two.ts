import { BatonServer, postMessage } from '../../baton-server.ts';
import type { Case } from '../../benches.ts';
import { interleave, medians, now, rate } from '../../measure.ts';
import { compare } from '../../result.ts';
import { mustBe } from '../../workload.ts';

const SESSIONS = 64;
const MESSAGES = 2000;
const WARM_UP = 500;
const CONNECTIONS = 32;

/**
 * `POST messages` over connections that alternate between two API nodes, against connections to
 * only one. There is no worker, so no run disturbs the measurement.
 */
export const postThroughTwo: Case = async ({ resources, rounds, report }) => {
  const database = await resources.database();
  const start = () => BatonServer.start(resources, { database: database.url, roles: ['api'] });
  const nodes = [await start(), await start()] as const;
  const ids: string[] = [];
  for (let i = 0; i < SESSIONS; i++) ids.push((await nodes[0].session(`messages ${i}`)).id);

  const send = async (to: readonly BatonServer[], messages: number): Promise<number> => {
    let next = 0;
    const begun = now();
    const connection = async (_: unknown, index: number): Promise<void> => {
      const node = to[index % to.length]!;
      for (let i = next++; i < messages; i = next++) {
        const answer = await postMessage(node.messagesOf(ids[i % SESSIONS]!), `echo ${i}`);
        mustBe('the status', answer.status, 202);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    return rate(messages, now() - begun);
  };

  await send(nodes, WARM_UP);
  const perSecond = medians(
    await interleave(rounds, {
      two: () => send(nodes, MESSAGES),
      one: () => send([nodes[0]], MESSAGES),
    }),
  );
  compare(
    report,
    {
      metric: `POST, ${CONNECTIONS} connections, two nodes`,
      value: perSecond.two,
      unit: 'requests/s',
    },
    { 'one node': perSecond.one },
  );
  for (const node of nodes) await node.program.stop();
  await database.drop();
};
