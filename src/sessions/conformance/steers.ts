import { expect } from 'vitest';
import { newId } from '../../contract/ids.ts';
import { LEASE_MS, refused } from '../../queue/conformance/rig.ts';
import type { ClaimedRun } from '../../queue/store.ts';
import type { Steered, SteerRequest } from '../messages/steer-store.ts';
import type { SessionBench, SessionRule } from './rig.ts';

const steer = (
  bench: SessionBench,
  sessionId: string,
  message = 'also this',
  given: Partial<SteerRequest> = {},
): Promise<Steered> => {
  const id = newId();
  return bench.store.steerMessage({
    sessionId,
    id,
    payload: JSON.stringify({ message, channel: 'api', sender: 'ann', original: false }),
    told: { steerId: id, text: message, sender: 'ann', channel: 'api' },
    original: null,
    maxAttempts: 3,
    idempotencyKey: null,
    bodyHash: null,
    ...given,
  });
};

const waiting = async (bench: SessionBench, runId: string): Promise<string[]> =>
  (await bench.store.listSteers([runId]))
    .filter(({ state }) => state === 'waiting')
    .map(({ message }) => message);

const queued = async (bench: SessionBench, sessionId: string): Promise<unknown[]> =>
  (await bench.store.listQueued(sessionId, 100)).map(
    ({ payload }) => (payload as { message: string }).message,
  );

const succeed = (bench: SessionBench, { run, fence }: ClaimedRun): Promise<boolean[]> =>
  bench.store.write([
    {
      lane: run.lane,
      fence,
      end: { outcome: { kind: 'succeeded', result: null }, retryDelayMs: 0 },
    },
  ]);

export function steerRules(rule: SessionRule): void {
  rule(
    '[Q11] a message for the run at work is stored, told, and its node is told',
    async (bench) => {
      const id = await bench.session();
      const { run } = await bench.begin(id);
      const hints: string[] = [];
      bench.store.onHint(({ nodes }) => hints.push(...nodes));
      expect(await steer(bench, id)).toEqual({ runId: run.id, state: 'steered', known: false });
      await steer(bench, id, 'and that');
      expect(await waiting(bench, run.id)).toEqual(['also this', 'and that']);
      const told = await bench.events(id, 'run.steered');
      expect(told.map(({ runId, payload }) => [runId, payload])).toMatchObject([
        [run.id, { text: 'also this' }],
        [run.id, { text: 'and that' }],
      ]);
      await expect.poll(() => hints).toContain('node-1');
    },
  );

  rule('[P2] [Q7] who spoke is known with each, also where the run continues', async (bench) => {
    const id = await bench.session();
    const { run, fence } = await bench.begin(id);
    const said = { message: 'x', sender: 'bob', original: false };
    const from = (standing: object) =>
      steer(bench, id, 'x', { payload: JSON.stringify({ ...said, ...standing }) });
    await from({ channel: 'line' });
    await from({ channel: 'cli', through: ['web'] });
    const [given] = await bench.store.listSteers([run.id]);
    await bench.store.markSteer(given!.id, true, fence);
    bench.advance(LEASE_MS + 1);
    await bench.store.reap([]);
    await bench.restart();
    expect((await bench.store.listSteers([run.id])).map(({ standing }) => standing)).toEqual([
      { channel: 'line' },
      { channel: 'cli', through: ['web'] },
    ]);
  });

  rule('[Q11] it needs a run at work', async (bench) => {
    const id = await bench.session();
    await expect(steer(bench, newId())).rejects.toEqual(refused('not_found'));
    await expect(steer(bench, id)).rejects.toEqual(refused('cannot_steer'));
    const claimed = await bench.begin(id);
    const { run, fence } = claimed;
    await bench.store.write([{ lane: id, fence, ask: true }]);
    expect(await steer(bench, id)).toMatchObject({ runId: run.id });
    await bench.store.change({ do: 'cancel', run: run.id, kind: 'stop' });
    await expect(steer(bench, id)).rejects.toEqual(refused('cannot_steer'));
  });

  rule('[Q11] a run that has its result takes nothing more', async (bench) => {
    const id = await bench.session();
    const { fence } = await bench.begin(id);
    const settle = { kind: 'succeeded', result: null } as const;
    await bench.store.write([{ lane: id, fence, settle }]);
    await expect(steer(bench, id)).rejects.toEqual(refused('cannot_steer'));
    expect(await bench.events(id, 'run.steered')).toEqual([]);
  });

  rule(
    '[Q11] [Q6] given once, by the attempt that has the run; put back if not taken',
    async (bench) => {
      const id = await bench.session();
      const { run, fence } = await bench.begin(id);
      await steer(bench, id);
      const [it] = await bench.store.listSteers([run.id]);
      const steerId = it!.id;
      expect(await bench.store.markSteer(steerId, true, fence + 1)).toBe(false);
      expect(await waiting(bench, run.id)).toHaveLength(1);
      // The second is the first again, whose answer was lost.
      for (let i = 0; i < 2; i++)
        expect(await bench.store.markSteer(steerId, true, fence)).toBe(true);
      expect(await waiting(bench, run.id)).toEqual([]);
      expect(await bench.store.markSteer(steerId, false, fence)).toBe(true);
      expect(await waiting(bench, run.id)).toHaveLength(1);
    },
  );

  rule('[Q11] what was never given becomes runs at the head, in order, once', async (bench) => {
    const id = await bench.session();
    const claimed = await bench.begin(id);
    const { run, fence } = claimed;
    await bench.send(id, { payload: { message: 'later' } });
    for (const message of ['given', 'one', 'two']) await steer(bench, id, message);
    const [given] = await bench.store.listSteers([run.id]);
    await bench.store.markSteer(given!.id, true, fence);
    await bench.store.releaseSteers(run.id, fence + 1);
    expect(await queued(bench, id)).toEqual(['later']);
    for (let i = 0; i < 2; i++) await bench.store.releaseSteers(run.id, fence);
    expect(await queued(bench, id)).toEqual(['one', 'two', 'later']);
    await succeed(bench, claimed);
    expect(await bench.store.settleSteers(10)).toEqual({ changes: [], more: false });
    expect(await queued(bench, id)).toEqual(['one', 'two', 'later']);
  });

  rule('[Q11] the keeper finds those of a run that ended in any way', async (bench) => {
    const id = await bench.session();
    const claimed = await bench.begin(id);
    await steer(bench, id, 'secret', { original: 'sealed' });
    expect(await bench.store.settleSteers(10)).toEqual({ changes: [], more: false });
    await succeed(bench, claimed);
    await bench.settleAll();
    await bench.store.settleSteers(10);
    await bench.store.settleSteers(10);
    expect(await queued(bench, id)).toEqual(['secret']);
    expect(await bench.status(id)).toBe('ACTIVE');
    const [run] = await bench.store.listQueued(id, 10);
    expect(await bench.store.readOriginal(run!.id)).toBe('sealed');
  });

  rule('[Q11] [Q7] a run that goes on elsewhere keeps them', async (bench) => {
    const id = await bench.session();
    const { run, fence } = await bench.begin(id);
    for (const message of ['given', 'waiting']) await steer(bench, id, message);
    const [given] = await bench.store.listSteers([run.id]);
    await bench.store.markSteer(given!.id, true, fence);
    bench.advance(LEASE_MS + 1);
    await bench.store.reap([]);
    await bench.store.settleSteers(10);
    expect((await bench.store.listSteers([run.id])).map(({ state }) => state)).toEqual([
      'given',
      'waiting',
    ]);
    expect(await bench.store.markSteer(given!.id, false, fence)).toBe(false);
  });

  rule('[Q11] of a session that has ended they are cancelled as its other runs', async (bench) => {
    const id = await bench.session();
    const { run, fence } = await bench.begin(id);
    await steer(bench, id);
    await bench.do(id, { do: 'terminate', reason: 'asked' });
    await bench.store.write([
      { lane: id, fence, end: { outcome: { kind: 'cancelled' }, retryDelayMs: 0 } },
    ]);
    await bench.store.settleSteers(10);
    const runs = await bench.store.list({ lane: id, limit: 10 });
    expect(runs.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(runs[0]!.id).toBe(run.id);
    expect(await bench.status(id)).toBe('TERMINATED');
    await bench.store.deleteSession(id);
    expect(await bench.store.listSteers([run.id])).toEqual([]);
  });

  rule(
    '[Q10] an idempotency key answers the same, also when it has become a run',
    async (bench) => {
      const id = await bench.session();
      const claimed = await bench.begin(id);
      const { run, fence } = claimed;
      const key = { idempotencyKey: 'k', bodyHash: 'h' };
      await steer(bench, id, 'once', key);
      expect(await steer(bench, id, 'once', key)).toEqual({
        runId: run.id,
        state: 'steered',
        known: true,
      });
      const other = steer(bench, id, 'other', { ...key, bodyHash: 'h2' });
      await expect(other).rejects.toEqual(refused('idempotency_conflict'));
      const asRun = bench.send(id, key);
      await expect(asRun).rejects.toEqual(refused('idempotency_conflict'));
      await bench.store.releaseSteers(run.id, fence);
      const [made] = await bench.store.listQueued(id, 10);
      expect(await steer(bench, id, 'once', key)).toEqual({
        runId: made!.id,
        state: 'queued',
        known: true,
      });
      expect(await bench.events(id, 'run.steered')).toHaveLength(1);
    },
  );
}
