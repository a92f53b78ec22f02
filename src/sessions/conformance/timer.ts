import { expect } from 'vitest';
import { READY_GRACE_MS } from '../session-machine.ts';
import { MINUTE, type SessionRule } from './rig.ts';

export function timerRules(rule: SessionRule): void {
  rule('[S3] an IDLE session has a time at which it ends, unless it has no timer', async (rig) => {
    const id = await rig.session('IDLE', { idleTimeoutSeconds: 90 });
    expect(await rig.record(id)).toMatchObject({ destroyAt: rig.now + 90_000 });
    expect(await rig.reconcile()).toEqual({
      changes: [],
      more: false,
      nextAt: rig.now + 90_000,
    });
    const forever = await rig.session('IDLE', { idleTimeoutSeconds: 0 });
    expect(await rig.record(forever)).toMatchObject({ destroyAt: null });
    rig.advance(365 * 24 * 60 * MINUTE);
    await rig.reconcile();
    expect(await rig.status(forever)).toBe('IDLE');
    expect(await rig.status(id)).toBe('TERMINATED');
  });

  rule('[S4] the timer ends the session at its time, not before, and once', async (rig) => {
    const id = await rig.session('IDLE');
    rig.advance(30 * MINUTE - 1);
    expect((await rig.reconcile()).changes).toEqual([]);
    rig.advance(1);
    const { changes, nextAt } = await rig.reconcile();
    expect(changes).toEqual([{ sessionId: id, from: 'IDLE', to: 'TERMINATED', reason: 'idle' }]);
    expect(nextAt).toBeNull();
    expect((await rig.reconcile()).changes).toEqual([]);
    expect(await rig.record(id)).toMatchObject({ destroyAt: null, readyAt: null });
    expect((await rig.moves(id)).at(-1)).toBe('IDLE→TERMINATED idle');
  });

  rule(
    '[S4] [R086] a 30-minute timer still fires on time after a restart half-way through',
    async (rig) => {
      const id = await rig.session('IDLE');
      rig.advance(15 * MINUTE);
      await rig.restart();
      expect((await rig.reconcile()).changes).toEqual([]);
      rig.advance(15 * MINUTE - 1);
      expect((await rig.reconcile()).changes).toEqual([]);
      rig.advance(1);
      expect((await rig.reconcile()).changes).toMatchObject([{ to: 'TERMINATED' }]);
      expect(await rig.status(id)).toBe('TERMINATED');
    },
  );

  rule('[S4] a session that expired while the server was down ends at its start', async (rig) => {
    const id = await rig.session('IDLE');
    await rig.restart(40 * MINUTE);
    expect((await rig.reconcile()).changes).toMatchObject([{ sessionId: id, reason: 'idle' }]);
  });

  rule(
    '[S4] a session that lost its connections in a crash gets its full idle time',
    async (rig) => {
      await rig.queue.node();
      const id = await rig.session('ACTIVE');
      await rig.connect(id);
      await rig.restart(10 * MINUTE);
      await rig.reconcile();
      expect(await rig.record(id)).toMatchObject({
        status: 'IDLE',
        destroyAt: rig.now + 30 * MINUTE,
      });
    },
  );

  rule('[S3] reconnecting clears the timer, which later starts again', async (rig) => {
    const id = await rig.session('IDLE');
    rig.advance(29 * MINUTE);
    await rig.queue.node('node-1');
    await rig.connect(id, 'node-1', 'c1');
    expect(await rig.record(id)).toMatchObject({ status: 'ACTIVE', destroyAt: null });
    await rig.store.closeConnections(['c1']);
    rig.advance(5 * MINUTE);
    await rig.reconcile();
    expect(await rig.record(id)).toMatchObject({
      status: 'IDLE',
      destroyAt: rig.now + 30 * MINUTE,
    });
  });

  rule('[S4] a changed timer runs from when the session became idle', async (rig) => {
    const id = await rig.session('IDLE');
    const idleSince = rig.now;
    const set = (idleTimeoutSeconds: number) =>
      rig.do(id, { do: 'update', changes: { idleTimeoutSeconds } });
    rig.advance(10 * MINUTE);
    await set(3600);
    expect(await rig.record(id)).toMatchObject({
      idleTimeoutSeconds: 3600,
      destroyAt: idleSince + 60 * MINUTE,
    });
    await set(0);
    expect(await rig.record(id)).toMatchObject({ destroyAt: null });
    await set(60);
    expect(await rig.record(id)).toMatchObject({ destroyAt: idleSince + MINUTE });
    expect((await rig.reconcile()).changes).toMatchObject([{ to: 'TERMINATED' }]);
  });

  rule('[S4] a changed timer of a session that is not idle starts once it is', async (rig) => {
    const id = await rig.session('ACTIVE');
    await rig.do(id, { do: 'update', changes: { idleTimeoutSeconds: 10 } });
    expect(await rig.record(id)).toMatchObject({ destroyAt: null });
    rig.advance(READY_GRACE_MS);
    await rig.reconcile();
    expect(await rig.record(id)).toMatchObject({ destroyAt: rig.now + 10_000 });
  });

  rule('[S6] many sessions are reconciled a page at a time', async (rig) => {
    const ids = [];
    for (let i = 0; i < 7; i++) ids.push(await rig.session('ACTIVE'));
    rig.advance(READY_GRACE_MS);
    const first = await rig.reconcile(3);
    expect(first).toMatchObject({ more: true });
    expect(first.changes).toHaveLength(3);
    expect(await rig.reconcileAll(3)).toHaveLength(4);
    expect(await rig.store.countSessions()).toMatchObject({ ACTIVE: 0, IDLE: 7 });
    rig.advance(30 * MINUTE);
    expect(await rig.reconcileAll(3)).toHaveLength(7);
    for (const id of ids) {
      const moves = await rig.moves(id);
      expect(moves.slice(1)).toEqual(['ACTIVE→IDLE quiet', 'IDLE→TERMINATED idle']);
    }
  });
}
