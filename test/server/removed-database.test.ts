import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

const readiness = async (server: Server) => {
  const answer = await server.fetch('GET', '/readyz');
  const { checks } = (await answer.json()) as { checks: object };
  return { status: answer.status, checks };
};

test.each([
  [
    'removed',
    'baton.db',
    (path: string, away: string) => {
      renameSync(path, away);
      return () => renameSync(away, path);
    },
  ],
  [
    'replaced by a copy',
    'baton.db',
    (path: string, away: string) => {
      renameSync(path, away);
      copyFileSync(away, path);
      return () => renameSync(away, path);
    },
  ],
  [
    'deprived of its write-ahead log',
    'baton.db-wal',
    (path: string, away: string) => {
      renameSync(path, away);
      return () => renameSync(away, path);
    },
  ],
])(
  '[H7] a database that was %s accepts no writes and makes the node not ready',
  async (_, name, take) => {
    const dataDir = temporaryDirectory();
    const server = await Server.start({ dataDir });
    const { id } = await server.session('kept');
    expect((await readiness(server)).status).toBe(200);
    const back = take(join(dataDir, name), join(temporaryDirectory(), name));
    expect(await readiness(server)).toMatchObject({
      status: 503,
      checks: { database: 'was removed or replaced' },
    });
    const refused = await server.fetch('POST', `/api/v1/sessions/${id}/messages`, {
      message: 'ls',
    });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 'database_replaced' } });
    expect(refused.headers.get('retry-after')).not.toBeNull();

    back();
    await until(async () => (await readiness(server)).status === 200, { ms: 40_000, every: 50 });
    const run = await server.finished(await server.send(id, 'echo back'));
    expect(run.state).toBe('succeeded');
    expect(await server.stop()).toBe(0);
  },
  60_000,
);
