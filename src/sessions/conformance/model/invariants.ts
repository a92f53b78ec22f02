import { expect } from 'vitest';
import { SessionStatus } from '../../../contract/session.ts';
import type { SessionStores } from '../rig.ts';
import type { World } from './world.ts';

/** Compares everything the store returns with the model, and checks the invariants. */
export async function checkAll(world: World, store: SessionStores): Promise<void> {
  for (const archived of [false, true]) {
    const listed = await store.listSessions({ archived, limit: 100 });
    const expected = world.sessions.filter((one) => one.archived === archived).reverse();
    expect(
      listed.map(({ session, activeConnections, unfinishedRuns }) => ({
        id: session.id,
        status: session.status,
        reason: session.statusReason,
        readyAt: session.readyAt,
        destroyAt: session.destroyAt,
        activeConnections,
        unfinishedRuns,
      })),
    ).toEqual(
      expected.map((one) => ({
        id: one.id,
        status: one.status,
        reason: one.reason,
        readyAt: one.readyAt,
        destroyAt: world.destroyAt(one),
        activeConnections: world.connected(one),
        unfinishedRuns: world.unfinished(one),
      })),
    );
  }
  const counts = await store.countSessions();
  for (const status of SessionStatus.options)
    expect(counts[status]).toBe(world.sessions.filter((one) => one.status === status).length);
  for (const { id, moves, emittedConnections, status, queued } of world.sessions) {
    const log = await store.listAfter(id, 0, 10_000);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
    const emitted = <T>(type: string, field: string): T[] =>
      log
        .filter((event) => event.type === type)
        .map(({ payload }) => (payload as Record<string, unknown>)[field] as T);
    // Each change is emitted once and starts from the previous status.
    expect(emitted('session.status', 'to')).toEqual(moves);
    expect(emitted('session.status', 'from')).toEqual(['PENDING', ...moves].slice(0, moves.length));
    expect(emitted<number>('session.connections', 'activeConnections').at(-1) ?? 0).toBe(
      emittedConnections,
    );
    expect((await store.listQueued(id, 100)).map((run) => run.id)).toEqual(queued);
    const current = await store.getSession(id);
    if (status === 'IDLE')
      expect(current).toMatchObject({ activeConnections: 0, unfinishedRuns: 0 });
  }
}
