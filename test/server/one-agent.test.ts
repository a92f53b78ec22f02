import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

/** Prints whether the agent of the previous run is still alive. */
const IS_ALIVE =
  'case "$(ps -o stat= -p "$(cat pid)")" in "" | Z*) echo gone ;; *) echo alive ;; esac';

test('[A3] [Q9] after a run was cancelled on a lost node, the next run starts only once its agent is gone', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const args = ['--port', '0', '--database', database.url];
  const env = {
    BATON_LEASE_SECONDS: '5',
    BATON_HOST_ID: 'one',
    BATON_SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
  };
  const first = await Server.start({ args, env });
  const path = temporaryDirectory();
  const workspace = { provider: 'directory', path };
  const { id } = await first.session('two', { workspace, holdOnFailure: false });
  const cancelled = await first.send(
    id,
    'trap "" INT TERM; echo $$ > pid; while :; do sleep 1; done',
  );
  await until(() => {
    try {
      return readFileSync(join(path, 'pid'), 'utf8') !== '';
    } catch {
      return false;
    }
  });
  const second = await Server.start({ args, env });
  // The node is lost, not dead: only the next run can stop its agent.
  process.kill(first.program.pid, 'SIGSTOP');
  await second.call('POST', `/api/v1/runs/${cancelled}/cancel`);
  const next = await second.send(id, IS_ALIVE);
  expect((await second.finished(next)).result).toEqual({ exitCode: 0, output: 'gone\n' });
  expect((await second.run(cancelled)).state).toBe('cancelled');
  const { items } = await second.call<{ items: { finishedAt: string | null }[] }>(
    'GET',
    `/api/v1/runs/${cancelled}/invocations`,
  );
  expect(items.map(({ finishedAt }) => finishedAt === null)).toEqual([false]);
  process.kill(first.program.pid, 'SIGKILL');
  await second.stop();
});
