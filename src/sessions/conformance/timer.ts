import { expect } from 'vitest';
import { READY_GRACE_MS } from '../session-machine.ts';
import { MINUTE, type SessionRule } from './rig.ts';

export function timerRules(rule: SessionRule): void {
  rule(
    '[S3] an IDLE session has a time at which it ends; without a timer it has none',
    async (bench) => {
      const id = await bench.session('IDLE', { idleTimeoutSeconds: 90 });
      expect(await bench.record(id)).toMatchObject({ destroyAt: bench.now + 90_000 });
      expect(await bench.settle()).toEqual({
        changes: [],
        more: false,
        nextAt: bench.now + 90_000,
      });
      const forever = await bench.session('IDLE', { idleTimeoutSeconds: 0 });
      expect(await bench.record(forever)).toMatchObject({ destroyAt: null });
      bench.advance(365 * 24 * 60 * MINUTE);
      await bench.settle();
      expect(await bench.status(forever)).toBe('IDLE');
      expect(await bench.status(id)).toBe('TERMINATED');
    },
  );

  rule('[S4] the timer ends the session at its time, not before, and once', async (bench) => {
    const id = await bench.session('IDLE');
    bench.advance(30 * MINUTE - 1);
    expect((await bench.settle()).changes).toEqual([]);
    bench.advance(1);
    const { changes, nextAt } = await bench.settle();
    expect(changes).toEqual([{ sessionId: id, from: 'IDLE', to: 'TERMINATED', reason: 'idle' }]);
    expect(nextAt).toBeNull();
    expect((await bench.settle()).changes).toEqual([]);
    expect(await bench.record(id)).toMatchObject({ destroyAt: null, readyAt: null });
    expect((await bench.moves(id)).at(-1)).toBe('IDLE→TERMINATED idle');
  });

  rule('[S4] 30 min set, restart after 15, destroyed 15 later', async (bench) => {
    const id = await bench.session('IDLE');
    bench.advance(15 * MINUTE);
    await bench.restart();
    expect((await bench.settle()).changes).toEqual([]);
    bench.advance(15 * MINUTE - 1);
    expect((await bench.settle()).changes).toEqual([]);
    bench.advance(1);
    expect((await bench.settle()).changes).toMatchObject([{ to: 'TERMINATED' }]);
    expect(await bench.status(id)).toBe('TERMINATED');
  });

  rule('[S4] one whose time came while the server was down ends at its start', async (bench) => {
    const id = await bench.session('IDLE');
    await bench.restart(40 * MINUTE);
    expect((await bench.settle()).changes).toMatchObject([{ sessionId: id, reason: 'idle' }]);
  });

  rule('[S4] a session that lost its people in a crash gets its whole time', async (bench) => {
    await bench.queue.node();
    const id = await bench.session('ACTIVE');
    await bench.connect(id);
    await bench.restart(10 * MINUTE);
    await bench.settle();
    expect(await bench.record(id)).toMatchObject({
      status: 'IDLE',
      destroyAt: bench.now + 30 * MINUTE,
    });
  });

  rule('[S3] reconnecting clears the timer, and it starts anew later', async (bench) => {
    const id = await bench.session('IDLE');
    bench.advance(29 * MINUTE);
    await bench.queue.node('node-1');
    await bench.connect(id, 'node-1', 'c1');
    expect(await bench.record(id)).toMatchObject({ status: 'ACTIVE', destroyAt: null });
    await bench.store.closeConnections(['c1']);
    bench.advance(5 * MINUTE);
    await bench.settle();
    expect(await bench.record(id)).toMatchObject({
      status: 'IDLE',
      destroyAt: bench.now + 30 * MINUTE,
    });
  });

  rule('[S4] another timer counts from when the session became idle', async (bench) => {
    const id = await bench.session('IDLE');
    const idleSince = bench.now;
    const set = (idleTimeoutSeconds: number) =>
      bench.do(id, { do: 'update', changes: { idleTimeoutSeconds } });
    bench.advance(10 * MINUTE);
    await set(3600);
    expect(await bench.record(id)).toMatchObject({
      idleTimeoutSeconds: 3600,
      destroyAt: idleSince + 60 * MINUTE,
    });
    await set(0);
    expect(await bench.record(id)).toMatchObject({ destroyAt: null });
    await set(60);
    expect(await bench.record(id)).toMatchObject({ destroyAt: idleSince + MINUTE });
    expect((await bench.settle()).changes).toMatchObject([{ to: 'TERMINATED' }]);
  });

  rule('[S4] another timer of a session that is not idle waits until it is', async (bench) => {
    const id = await bench.session('ACTIVE');
    await bench.do(id, { do: 'update', changes: { idleTimeoutSeconds: 10 } });
    expect(await bench.record(id)).toMatchObject({ destroyAt: null });
    bench.advance(READY_GRACE_MS);
    await bench.settle();
    expect(await bench.record(id)).toMatchObject({ destroyAt: bench.now + 10_000 });
  });

  rule('[S6] many are settled a page at a time, until none is left', async (bench) => {
    const ids = [];
    for (let i = 0; i < 7; i++) ids.push(await bench.session('ACTIVE'));
    bench.advance(READY_GRACE_MS);
    const first = await bench.settle(3);
    expect(first).toMatchObject({ more: true });
    expect(first.changes).toHaveLength(3);
    expect(await bench.settleAll(3)).toHaveLength(4);
    expect(await bench.store.countSessions()).toMatchObject({ ACTIVE: 0, IDLE: 7 });
    bench.advance(30 * MINUTE);
    expect(await bench.settleAll(3)).toHaveLength(7);
    for (const id of ids) {
      const moves = await bench.moves(id);
      expect(moves.slice(1)).toEqual(['ACTIVE→IDLE quiet', 'IDLE→TERMINATED idle']);
    }
  });
}
