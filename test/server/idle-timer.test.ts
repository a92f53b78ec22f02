import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const MINUTE = 60_000;
const TIMES = ['ready_at', 'idle_since', 'destroy_at'];

test('[S4] [R072] [R073] the idle timer continues over restarts, and a session that expired while the server was down ends at the start', async () => {
  const dataDir = temporaryDirectory();
  let server = await Server.start({ dataDir });
  const { id } = await server.session('idle', { idleTimeoutSeconds: 30 * 60 });
  const session = () => server.call<Session>('GET', `/api/v1/sessions/${id}`);
  const becomes = (status: Session['status']) =>
    until(async () => (await session()).status === status, { ms: 30_000, every: 50 });
  const lastMove = async (): Promise<SessionEvent> =>
    (await server.log(id)).filter(({ type }) => type === 'session.status').at(-1)!;
  /** Restarts the server as if `ms` had passed: moves the stored times back by that much. */
  const restartAfter = async (ms: number): Promise<void> => {
    expect(await server.stop()).toBe(0);
    const database = new DatabaseSync(join(dataDir, 'baton.db'));
    const older = TIMES.map((column) => `${column} = ${column} - ${ms}`);
    database.exec(`UPDATE sessions SET ${older.join(', ')}`);
    database.close();
    server = await Server.start({ dataDir });
  };
  await server.finished(await server.send(id, 'echo kept'));

  // Ready for more than a minute, with no viewers and nothing to do.
  await restartAfter(2 * MINUTE);
  await becomes('IDLE');
  const destroyAt = Date.parse((await session()).destroyAt!);
  expect(destroyAt).toBe(Date.parse((await lastMove()).at) + 30 * MINUTE);

  await restartAfter(15 * MINUTE);
  expect(await session()).toMatchObject({ status: 'IDLE' });
  expect(Date.parse((await session()).destroyAt!)).toBe(destroyAt - 15 * MINUTE);

  // A few seconds before it is due, which is then while the server runs or starts.
  const ms = destroyAt - 15 * MINUTE - Date.now() - 8000;
  await restartAfter(ms);
  const due = destroyAt - 15 * MINUTE - ms;
  await becomes('TERMINATED');
  expect(await lastMove()).toMatchObject({ payload: { from: 'IDLE', reason: 'idle' } });
  expect(Date.parse((await lastMove()).at)).toBeGreaterThanOrEqual(due);

  // A message reopens it, and this time it is due while the server is down.
  await server.finished(await server.send(id, 'echo again'));
  await restartAfter(2 * MINUTE);
  await becomes('IDLE');
  await restartAfter(60 * MINUTE);
  await becomes('TERMINATED');
  expect(await session()).toMatchObject({ statusReason: 'idle', destroyAt: null });
  const said = (await server.log(id)).filter(({ type }) => type === 'agent.message');
  expect(said.map(({ payload }) => payload)).toMatchObject([
    { text: 'kept\n' },
    { text: 'again\n' },
  ]);
});
