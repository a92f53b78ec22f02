import { expect } from 'vitest';
import { SessionStatus } from '../../contract/session.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { READY_GRACE_MS } from '../session-machine.ts';
import type { SessionCommand } from '../session-store.ts';
import type { SessionRule } from './rig.ts';

const READY = { do: 'ready', path: '/w' } as const;
const FAIL = { do: 'fail', error: 'x' } as const;
const COMPLETE = { do: 'complete' } as const;
const TERMINATE = { do: 'terminate', reason: 'asked' } as const;
const ORPHAN = { do: 'terminate', reason: 'orphan' } as const;
const REOPEN = { do: 'reopen' } as const;
const RETRY = { do: 'retry' } as const;

const REFUSED: Record<SessionStatus, SessionCommand[]> = {
  PENDING: [REOPEN, RETRY],
  ACTIVE: [REOPEN, RETRY],
  IDLE: [READY, REOPEN, RETRY],
  ERROR: [FAIL, REOPEN],
  COMPLETED: [READY, FAIL, COMPLETE, ORPHAN, RETRY],
  TERMINATED: [READY, FAIL, COMPLETE, TERMINATE, ORPHAN, RETRY],
};

export function stateRules(rule: SessionRule): void {
  rule('[S1] a new session is PENDING, and its log begins with its creation', async (bench) => {
    const { session, lastSeq } = await bench.create({ name: 'fix login', forkedFrom: null });
    expect(session).toMatchObject({
      status: 'PENDING',
      statusReason: 'created',
      readyAt: null,
      destroyAt: null,
      lastActiveAt: bench.now,
    });
    expect(lastSeq).toBe(1);
    const [created] = await bench.events(session.id);
    expect(created).toMatchObject({ type: 'session.created', payload: { name: 'fix login' } });
    expect(await bench.queue.lane(session.id)).toMatchObject({ kept: true, owner: 'ann' });
  });

  rule(
    '[S1] ready makes it ACTIVE, with its path; the change is told and answered',
    async (bench) => {
      const id = await bench.session('PENDING');
      bench.advance(5);
      const { found, changes } = await bench.store.changeSession(id, { do: 'ready', path: '/w/1' });
      expect(changes).toEqual([{ sessionId: id, from: 'PENDING', to: 'ACTIVE', reason: 'ready' }]);
      expect(found.session).toMatchObject({
        status: 'ACTIVE',
        statusReason: 'ready',
        workspacePath: '/w/1',
        readyAt: bench.now,
        updatedAt: bench.now,
      });
      expect(await bench.moves(id)).toEqual(['PENDING→ACTIVE ready']);
    },
  );

  rule('[E5] what becomes of the workspace is in the log', async (bench) => {
    const id = await bench.session('PENDING');
    await bench.do(id, { do: 'fail', error: 'no disk' });
    await bench.do(id, { do: 'retry' });
    await bench.do(id, { do: 'ready', path: '/w' });
    await bench.do(id, { do: 'ready', path: '/w' });
    await bench.do(id, { do: 'ready', path: '/moved' });
    const told = (await bench.events(id, 'workspace.status')).map(({ payload }) => payload);
    expect(told).toEqual([
      { status: 'failed', message: 'no disk' },
      { status: 'running' },
      { status: 'running' },
    ]);
  });

  rule(
    '[S1] a workspace looked at again keeps the session as it is, but for the path',
    async (bench) => {
      const id = await bench.session('ACTIVE');
      const before = await bench.record(id);
      bench.advance(1000);
      expect(await bench.do(id, { do: 'ready', path: '/elsewhere' })).toEqual([]);
      expect(await bench.record(id)).toMatchObject({
        workspacePath: '/elsewhere',
        readyAt: before.readyAt,
      });
      expect(await bench.moves(id)).toEqual(['PENDING→ACTIVE ready']);
    },
  );

  rule('[S1] a failure says why, and a retry prepares anew', async (bench) => {
    const id = await bench.session('PENDING');
    await bench.do(id, { do: 'fail', error: 'the directory is read-only' });
    expect(await bench.record(id)).toMatchObject({
      status: 'ERROR',
      error: 'the directory is read-only',
    });
    const [told] = await bench.events(id, 'session.status');
    expect(told?.payload).toMatchObject({ error: 'the directory is read-only' });
    await bench.do(id, { do: 'retry' });
    expect(await bench.record(id)).toMatchObject({ status: 'PENDING', error: null });
    expect(await bench.moves(id)).toEqual(['PENDING→ERROR failed', 'ERROR→PENDING retried']);
  });

  rule('[S1] an ACTIVE and an IDLE session can fail too', async (bench) => {
    for (const status of ['ACTIVE', 'IDLE'] as const) {
      const id = await bench.session(status);
      await bench.do(id, { do: 'fail', error: 'gone' });
      expect(await bench.record(id)).toMatchObject({
        status: 'ERROR',
        readyAt: null,
        destroyAt: null,
      });
    }
  });

  rule('[S1] every status but an ended one can be completed, and reopened then', async (bench) => {
    for (const status of ['PENDING', 'ACTIVE', 'IDLE', 'ERROR'] as const) {
      const id = await bench.session(status);
      await bench.do(id, { do: 'complete' });
      expect(await bench.record(id)).toMatchObject({
        status: 'COMPLETED',
        statusReason: 'asked',
        destroyAt: null,
      });
      await bench.do(id, { do: 'reopen' });
      expect(await bench.status(id)).toBe('PENDING');
    }
  });

  rule('[S1] every status but TERMINATED can be terminated, and reopened then', async (bench) => {
    for (const status of SessionStatus.options.filter((one) => one !== 'TERMINATED')) {
      const id = await bench.session(status);
      await bench.do(id, { do: 'terminate', reason: 'asked' });
      expect(await bench.record(id)).toMatchObject({
        status: 'TERMINATED',
        statusReason: 'asked',
      });
      await bench.do(id, { do: 'reopen' });
      expect((await bench.moves(id)).at(-1)).toBe('TERMINATED→PENDING reopened');
    }
  });

  rule('[S8] what a status does not allow is refused and changes nothing', async (bench) => {
    for (const [status, commands] of Object.entries(REFUSED) as [
      SessionStatus,
      SessionCommand[],
    ][]) {
      const id = await bench.session(status);
      const before = await bench.found(id);
      for (const command of commands) {
        const wish = bench.do(id, command);
        await expect(wish, `${status} ${command.do}`).rejects.toMatchObject({
          code: 'session_state',
          details: { status },
        });
      }
      expect(await bench.found(id)).toEqual(before);
    }
  });

  rule('[S1] work that is not done cannot be said to be done', async (bench) => {
    const id = await bench.session('ACTIVE');
    await bench.send(id);
    await expect(bench.do(id, { do: 'complete' })).rejects.toEqual(refused('session_busy'));
    await expect(bench.do(id, { do: 'archive' })).rejects.toEqual(refused('session_busy'));
    expect(await bench.status(id)).toBe('ACTIVE');
  });

  rule('[S6] a session with an unfinished run is no orphan', async (bench) => {
    const id = await bench.session('ACTIVE');
    await bench.send(id, { runAt: bench.now + 1000 });
    const orphan = bench.do(id, { do: 'terminate', reason: 'orphan' });
    await expect(orphan).rejects.toEqual(refused('session_busy'));
  });

  rule('[S1] terminating cancels what is queued at once and stops what runs', async (bench) => {
    const id = await bench.session('ACTIVE');
    const running = await bench.begin(id);
    const { receipt: queued } = await bench.send(id);
    const { receipt: later } = await bench.send(id, { runAt: bench.now + 1000 });
    const told = bench.queue.hint(({ nodes }) => nodes.includes('node-1'));
    await bench.do(id, { do: 'terminate', reason: 'asked' });
    await told;
    for (const run of [queued.id, later.id]) {
      expect(await bench.queue.run(run)).toMatchObject({ state: 'cancelled' });
      expect((await bench.queue.eventTypes(id, run)).at(-1)).toBe('done');
    }
    expect(await bench.queue.lane(id)).toMatchObject({ cancel: 'stop', queued: 0 });
    expect(await bench.found(id)).toMatchObject({ unfinishedRuns: 1 });
    expect(await bench.queue.end(running)).toBe(true);
    expect(await bench.found(id)).toMatchObject({ unfinishedRuns: 0, held: false });
    expect(await bench.queue.counts()).toEqual({ cancelled: 2, succeeded: 1 });
  });

  rule('[S1] terminating ends a run that waits for its retry', async (bench) => {
    const id = await bench.session('ACTIVE');
    const running = await bench.begin(id);
    const error = { class: 'timeout', message: 'slow' } as const;
    await bench.queue.end(running, { kind: 'failed', error });
    await bench.do(id, { do: 'terminate', reason: 'asked' });
    expect(await bench.queue.run(running.run.id)).toMatchObject({ state: 'cancelled' });
    expect(await bench.found(id)).toMatchObject({ unfinishedRuns: 0 });
  });

  rule('[S1] archiving is beside the status; a message and reopening undo it', async (bench) => {
    const id = await bench.session('ACTIVE');
    bench.advance(10);
    await bench.do(id, { do: 'archive' });
    const archivedAt = bench.now;
    bench.advance(10);
    await bench.do(id, { do: 'archive' });
    expect(await bench.record(id)).toMatchObject({ status: 'ACTIVE', archivedAt });
    await bench.send(id);
    expect(await bench.record(id)).toMatchObject({ archivedAt: null });
    const ended = await bench.session('COMPLETED');
    await bench.do(ended, { do: 'archive' });
    await bench.do(ended, { do: 'reopen' });
    expect(await bench.record(ended)).toMatchObject({ archivedAt: null });
  });

  rule('[Q12] hold and resume are those of the lane', async (bench) => {
    const id = await bench.session('ACTIVE');
    await bench.queue.node();
    await bench.send(id);
    await bench.do(id, { do: 'hold' });
    expect(await bench.found(id)).toMatchObject({ held: true });
    expect(await bench.queue.claim()).toEqual([]);
    const ready = bench.queue.hint((hint) => hint.ready);
    await bench.do(id, { do: 'resume' });
    await ready;
    expect(await bench.found(id)).toMatchObject({ held: false });
    expect(await bench.queue.claim()).toHaveLength(1);
    expect((await bench.events(id)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session.held', 'session.resumed']),
    );
  });

  rule('[S8] what is not there is not found, and its lane is not made', async (bench) => {
    const id = '01890000-0000-7000-8000-000000000000';
    await expect(bench.do(id, { do: 'ready', path: '/w' })).rejects.toEqual(refused('not_found'));
    await expect(bench.send(id)).rejects.toEqual(refused('not_found'));
    await expect(bench.store.deleteSession(id)).rejects.toEqual(refused('not_found'));
    expect(await bench.store.getSession(id)).toBeNull();
    expect(await bench.store.getLane(id)).toBeNull();
  });

  rule('[S8] a lane that is not a session is none', async (bench) => {
    await bench.queue.enqueue({ lane: 'builds' });
    await expect(bench.send('builds')).rejects.toEqual(refused('not_found'));
    await expect(bench.do('builds', { do: 'complete' })).rejects.toEqual(refused('not_found'));
  });

  rule('[S1] for 60 s after it became ready a session stays ACTIVE', async (bench) => {
    const id = await bench.session('ACTIVE');
    bench.advance(READY_GRACE_MS - 1);
    expect((await bench.settle()).changes).toEqual([]);
    bench.advance(1);
    const { changes } = await bench.settle();
    expect(changes).toEqual([{ sessionId: id, from: 'ACTIVE', to: 'IDLE', reason: 'quiet' }]);
    expect(await bench.moves(id)).toEqual(['PENDING→ACTIVE ready', 'ACTIVE→IDLE quiet']);
  });
}
