import { join } from 'node:path';
import { driverOf } from '../../../src/agents/drivers.ts';
import type { HandlerEvents } from '../../../src/contract/events/table.ts';
import { MessageRequest } from '../../../src/contract/message.ts';
import { CreateSession } from '../../../src/contract/session.ts';
import { compose } from '../../../src/node/compose.ts';
import { createMasker } from '../../../src/policy/masking/masking.ts';
import { SILENT } from '../../../src/queue/logger.ts';
import { RunQueue } from '../../../src/queue/run-queue.ts';
import type { AttemptContext } from '../../../src/queue/worker/attempt-context.ts';
import { Worker } from '../../../src/queue/worker/worker.ts';
import { aesBox } from '../../../src/secrets/aes-box.ts';
import { sqliteStore } from '../../../src/storage/sqlite/store.ts';
import { agentEnvironment } from '../../../src/workspaces/local/environment/environment.ts';
import { localRuntime } from '../../../src/workspaces/local/runtime.ts';
import { authorised } from '../../../test/support/principals.ts';
import type { Case } from '../../benches.ts';
import { interleave, medians, now, rate } from '../../measure.ts';
import type { Resources } from '../../resources.ts';

const LANES = 8;
const RUNS = 320;
const COMMAND = 'true';

/** Runs per second with all writes of sessions (S11), and with a bare handler that does none of them. */
export const stateWrites: Case = async ({ resources, rounds, report }) => {
  const values = medians(
    await interleave(rounds, {
      on: () => withSessions(resources),
      off: () => bareHandler(resources),
    }),
  );
  const peer = 'the same agent without state writes';
  report({ metric: 'shell runs, state writes on', value: values.on, unit: 'runs/s' });
  const ratio = values.on / values.off;
  report({
    metric: 'shell runs, state writes off',
    value: values.off,
    unit: 'runs/s',
    peer,
    ratio,
  });
};

const environment = agentEnvironment(process.env);
const masker = createMasker();
const box = aesBox(Buffer.alloc(32));

async function withSessions(resources: Resources): Promise<number> {
  const dataDir = resources.directory();
  const store = await sqliteStore({ path: join(dataDir, 'baton.db') });
  const { services, worker, queue, reconciler } = compose({
    store,
    dataDir,
    installation: 'bench',
    masker,
    box,
    log: SILENT,
    executes: true,
    environment,
    host: 'bench',
    worker: { host: 'bench', concurrency: LANES },
  });
  const by = authorised({ userId: 'admin', role: 'admin', channel: 'api' });
  await worker.start();
  reconciler.start();
  const ids: string[] = [];
  for (let i = 0; i < LANES; i++) {
    const body = CreateSession.parse({ name: `lane ${i}`, agent: { kind: 'shell' } });
    ids.push((await services.sessions.create(by, body)).id);
  }
  const message = MessageRequest.parse({ message: COMMAND });
  const begun = now();
  for (let i = 0; i < RUNS; i++) await services.messages.send(by, ids[i % LANES]!, message, null);
  const ms = (await drained(queue)) - begun;
  await reconciler.stop();
  await worker.stop();
  await queue.close();
  return rate(RUNS, ms);
}

async function bareHandler(resources: Resources): Promise<number> {
  const dataDir = resources.directory();
  const queue = new RunQueue(await sqliteStore({ path: join(dataDir, 'baton.db') }));
  queue.register('agent', {
    run: async (_payload, context: AttemptContext<HandlerEvents>) => {
      const local = localRuntime(
        { dataDir, environment, installation: 'bench', node: () => 'bench' },
        { id: context.run.lane, root: dataDir },
      );
      const turn = {
        agent: { kind: 'shell' },
        message: COMMAND,
        conversation: null,
        maskStream: () => masker.stream(),
        signal: context.signal,
      } as const;
      let result: unknown = null;
      const processes: { stop(): Promise<void> }[] = [];
      for await (const event of driverOf('shell').run({
        ...turn,
        runtime: {
          ...local,
          spawn: async (argv, options) => {
            const started = await local.spawn(argv, { ...options, unit: context.run.id });
            processes.push(started);
            return started;
          },
        },
      })) {
        if (event.kind === 'end' && event.end.outcome.kind === 'succeeded') {
          ({ result } = event.end.outcome);
        } else if (event.kind === 'message') {
          await context.emit('agent.message', { text: event.text });
        }
      }
      await Promise.all(processes.map((each) => each.stop()));
      return result;
    },
  });
  const worker = new Worker(queue, { concurrency: LANES });
  await worker.start();
  const begun = now();
  for (let i = 0; i < RUNS; i++) await queue.enqueue({ type: 'agent', lane: `lane ${i % LANES}` });
  const ms = (await drained(queue)) - begun;
  await worker.stop();
  await queue.close();
  return rate(RUNS, ms);
}

async function drained(queue: RunQueue): Promise<number> {
  for (;;) {
    const { succeeded, failed, dead } = await queue.counts();
    if (failed + dead > 0) throw new Error('a run failed');
    if (succeeded === RUNS) return now();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
