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
  rule('[S1] a new session is PENDING, and its log starts with its creation', async (rig) => {
    const { session, lastSeq } = await rig.create({ name: 'fix login', forkedFrom: null });
    expect(session).toMatchObject({
      status: 'PENDING',
      statusReason: 'created',
      readyAt: null,
      destroyAt: null,
      lastActiveAt: rig.now,
    });
    expect(lastSeq).toBe(1);
    const [created] = await rig.events(session.id);
    expect(created).toMatchObject({ type: 'session.created', payload: { name: 'fix login' } });
    expect(await rig.queue.lane(session.id)).toMatchObject({ kept: true, owner: 'ann' });
  });

  rule(
    '[S1] ready makes it ACTIVE, with its path; the change is emitted and returned',
    async (rig) => {
      const id = await rig.session('PENDING');
      rig.advance(5);
      const { current, changes } = await rig.store.changeSession(id, { do: 'ready', path: '/w/1' });
      expect(changes).toEqual([{ sessionId: id, from: 'PENDING', to: 'ACTIVE', reason: 'ready' }]);
      expect(current.session).toMatchObject({
        status: 'ACTIVE',
        statusReason: 'ready',
        workspacePath: '/w/1',
        readyAt: rig.now,
        updatedAt: rig.now,
      });
      expect(await rig.moves(id)).toEqual(['PENDING→ACTIVE ready']);
    },
  );

  rule('[E5] changes of the workspace’s status are in the log', async (rig) => {
    const id = await rig.session('PENDING');
    await rig.do(id, { do: 'fail', error: 'no disk' });
    await rig.do(id, { do: 'retry' });
    await rig.do(id, { do: 'ready', path: '/w' });
    await rig.do(id, { do: 'ready', path: '/w' });
    await rig.do(id, { do: 'ready', path: '/moved' });
    const emitted = (await rig.events(id, 'workspace.status')).map(({ payload }) => payload);
    expect(emitted).toEqual([
      { status: 'failed', message: 'no disk' },
      { status: 'running' },
      { status: 'running' },
    ]);
  });

  rule('[S1] a workspace that is ready again changes only the path', async (rig) => {
    const id = await rig.session('ACTIVE');
    const before = await rig.record(id);
    rig.advance(1000);
    expect(await rig.do(id, { do: 'ready', path: '/elsewhere' })).toEqual([]);
    expect(await rig.record(id)).toMatchObject({
      workspacePath: '/elsewhere',
      readyAt: before.readyAt,
    });
    expect(await rig.moves(id)).toEqual(['PENDING→ACTIVE ready']);
  });

  rule('[S1] a failure has a reason, and a retry prepares again', async (rig) => {
    const id = await rig.session('PENDING');
    await rig.do(id, { do: 'fail', error: 'the directory is read-only' });
    expect(await rig.record(id)).toMatchObject({
      status: 'ERROR',
      error: 'the directory is read-only',
    });
    const [emitted] = await rig.events(id, 'session.status');
    expect(emitted?.payload).toMatchObject({ error: 'the directory is read-only' });
    await rig.do(id, { do: 'retry' });
    expect(await rig.record(id)).toMatchObject({ status: 'PENDING', error: null });
    expect(await rig.moves(id)).toEqual(['PENDING→ERROR failed', 'ERROR→PENDING retried']);
  });

  rule('[S1] an ACTIVE and an IDLE session can fail too', async (rig) => {
    for (const status of ['ACTIVE', 'IDLE'] as const) {
      const id = await rig.session(status);
      await rig.do(id, { do: 'fail', error: 'gone' });
      expect(await rig.record(id)).toMatchObject({
        status: 'ERROR',
        readyAt: null,
        destroyAt: null,
      });
    }
  });

  rule('[S1] every session that has not ended can be completed, and then reopened', async (rig) => {
    for (const status of ['PENDING', 'ACTIVE', 'IDLE', 'ERROR'] as const) {
      const id = await rig.session(status);
      await rig.do(id, { do: 'complete' });
      expect(await rig.record(id)).toMatchObject({
        status: 'COMPLETED',
        statusReason: 'asked',
        destroyAt: null,
      });
      await rig.do(id, { do: 'reopen' });
      expect(await rig.status(id)).toBe('PENDING');
    }
  });

  rule(
    '[S1] every session but a TERMINATED one can be terminated, and then reopened',
    async (rig) => {
      for (const status of SessionStatus.options.filter((one) => one !== 'TERMINATED')) {
        const id = await rig.session(status);
        await rig.do(id, { do: 'terminate', reason: 'asked' });
        expect(await rig.record(id)).toMatchObject({
          status: 'TERMINATED',
          statusReason: 'asked',
        });
        await rig.do(id, { do: 'reopen' });
        expect((await rig.moves(id)).at(-1)).toBe('TERMINATED→PENDING reopened');
      }
    },
  );

  rule('[S8] what a status does not allow is refused and changes nothing', async (rig) => {
    for (const [status, commands] of Object.entries(REFUSED) as [
      SessionStatus,
      SessionCommand[],
    ][]) {
      const id = await rig.session(status);
      const before = await rig.current(id);
      for (const command of commands) {
        const wish = rig.do(id, command);
        await expect(wish, `${status} ${command.do}`).rejects.toMatchObject({
          code: 'session_state',
          details: { status },
        });
      }
      expect(await rig.current(id)).toEqual(before);
    }
  });

  rule('[S1] a session with unfinished runs cannot be completed', async (rig) => {
    const id = await rig.session('ACTIVE');
    await rig.send(id);
    await expect(rig.do(id, { do: 'complete' })).rejects.toEqual(refused('session_busy'));
    await expect(rig.do(id, { do: 'archive' })).rejects.toEqual(refused('session_busy'));
    expect(await rig.status(id)).toBe('ACTIVE');
  });

  rule('[S6] a session with an unfinished run is not an orphan', async (rig) => {
    const id = await rig.session('ACTIVE');
    await rig.send(id, { runAt: rig.now + 1000 });
    const orphan = rig.do(id, { do: 'terminate', reason: 'orphan' });
    await expect(orphan).rejects.toEqual(refused('session_busy'));
  });

  rule('[S1] terminating cancels queued runs at once and stops the active one', async (rig) => {
    const id = await rig.session('ACTIVE');
    const running = await rig.begin(id);
    const { receipt: queued } = await rig.send(id);
    const { receipt: later } = await rig.send(id, { runAt: rig.now + 1000 });
    const hinted = rig.queue.hint(({ nodes }) => nodes.includes('node-1'));
    await rig.do(id, { do: 'terminate', reason: 'asked' });
    await hinted;
    for (const run of [queued.id, later.id]) {
      expect(await rig.queue.run(run)).toMatchObject({ state: 'cancelled' });
      expect((await rig.queue.eventTypes(id, run)).at(-1)).toBe('done');
    }
    expect(await rig.queue.lane(id)).toMatchObject({ cancel: 'stop', queued: 0 });
    expect(await rig.current(id)).toMatchObject({ unfinishedRuns: 1 });
    expect(await rig.queue.end(running)).toBe(true);
    expect(await rig.current(id)).toMatchObject({ unfinishedRuns: 0, held: false });
    expect(await rig.queue.counts()).toEqual({ cancelled: 2, succeeded: 1 });
  });

  rule('[S1] terminating ends a run that waits for a retry', async (rig) => {
    const id = await rig.session('ACTIVE');
    const running = await rig.begin(id);
    const error = { class: 'timeout', message: 'slow' } as const;
    await rig.queue.end(running, { kind: 'failed', error });
    await rig.do(id, { do: 'terminate', reason: 'asked' });
    expect(await rig.queue.run(running.run.id)).toMatchObject({ state: 'cancelled' });
    expect(await rig.current(id)).toMatchObject({ unfinishedRuns: 0 });
  });

  rule(
    '[S1] archiving does not change the status; a message or reopening undoes it',
    async (rig) => {
      const id = await rig.session('ACTIVE');
      rig.advance(10);
      await rig.do(id, { do: 'archive' });
      const archivedAt = rig.now;
      rig.advance(10);
      await rig.do(id, { do: 'archive' });
      expect(await rig.record(id)).toMatchObject({ status: 'ACTIVE', archivedAt });
      await rig.send(id);
      expect(await rig.record(id)).toMatchObject({ archivedAt: null });
      const ended = await rig.session('COMPLETED');
      await rig.do(ended, { do: 'archive' });
      await rig.do(ended, { do: 'reopen' });
      expect(await rig.record(ended)).toMatchObject({ archivedAt: null });
    },
  );

  rule('[Q12] hold and resume apply to the lane', async (rig) => {
    const id = await rig.session('ACTIVE');
    await rig.queue.node();
    await rig.send(id);
    await rig.do(id, { do: 'hold' });
    expect(await rig.current(id)).toMatchObject({ held: true });
    expect(await rig.queue.claim()).toEqual([]);
    const ready = rig.queue.hintOf('ready');
    await rig.do(id, { do: 'resume' });
    await ready;
    expect(await rig.current(id)).toMatchObject({ held: false });
    expect(await rig.queue.claim()).toHaveLength(1);
    expect((await rig.events(id)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['session.held', 'session.resumed']),
    );
  });

  rule('[S8] a missing session is not found, and its lane is not created', async (rig) => {
    const id = '01890000-0000-7000-8000-000000000000';
    await expect(rig.do(id, { do: 'ready', path: '/w' })).rejects.toEqual(refused('not_found'));
    await expect(rig.send(id)).rejects.toEqual(refused('not_found'));
    await expect(rig.store.deleteSession(id)).rejects.toEqual(refused('not_found'));
    expect(await rig.store.getSession(id)).toBeNull();
    expect(await rig.store.getLane(id)).toBeNull();
  });

  rule('[S8] a lane without a session is not found', async (rig) => {
    await rig.queue.enqueue({ lane: 'builds' });
    await expect(rig.send('builds')).rejects.toEqual(refused('not_found'));
    await expect(rig.do('builds', { do: 'complete' })).rejects.toEqual(refused('not_found'));
  });

  rule('[S1] for 60 s after it became ready a session stays ACTIVE', async (rig) => {
    const id = await rig.session('ACTIVE');
    rig.advance(READY_GRACE_MS - 1);
    expect((await rig.reconcile()).changes).toEqual([]);
    rig.advance(1);
    const { changes } = await rig.reconcile();
    expect(changes).toEqual([{ sessionId: id, from: 'ACTIVE', to: 'IDLE', reason: 'quiet' }]);
    expect(await rig.moves(id)).toEqual(['PENDING→ACTIVE ready', 'ACTIVE→IDLE quiet']);
  });
}
