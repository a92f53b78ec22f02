import { expect } from 'vitest';
import { newId } from '../../contract/values/ids.ts';
import { LEASE_MS, refused } from '../../queue/conformance/rig.ts';
import type { ClaimedRun } from '../../queue/store.ts';
import type { Steered, SteerRequest } from '../messages/steer-store.ts';
import type { SessionRule, SessionStoreRig } from './rig.ts';

const steer = (
  rig: SessionStoreRig,
  sessionId: string,
  message = 'also this',
  given: Partial<SteerRequest> = {},
): Promise<Steered> => {
  const id = newId();
  return rig.store.steerMessage({
    sessionId,
    id,
    payload: JSON.stringify({ message, channel: 'api', sender: 'ann', original: false }),
    event: { steerId: id, text: message, sender: 'ann', channel: 'api' },
    original: null,
    maxAttempts: 3,
    idempotencyKey: null,
    bodyHash: null,
    queueMax: 100,
    ...given,
  });
};

const waiting = async (rig: SessionStoreRig, runId: string): Promise<string[]> =>
  (await rig.store.listSteers([runId]))
    .filter(({ state }) => state === 'waiting')
    .map(({ message }) => message);

const queued = async (rig: SessionStoreRig, sessionId: string): Promise<unknown[]> =>
  (await rig.store.listQueued(sessionId, 100)).map(
    ({ payload }) => (payload as { message: string }).message,
  );

const succeed = (rig: SessionStoreRig, { run, fence }: ClaimedRun): Promise<boolean[]> =>
  rig.store.write([
    {
      lane: run.lane,
      fence,
      end: { outcome: { kind: 'succeeded', result: null }, retryDelayMs: 0 },
    },
  ]);

export function steerRules(rule: SessionRule): void {
  rule('[Q11] messages for the active run keep the order of the calls', async (rig) => {
    const id = await rig.session();
    const { run } = await rig.begin(id);
    const texts = Array.from(
      { length: 12 },
      (_, i) => `${i} ${'-'.repeat(i % 3 === 0 ? 50_000 : 0)}`,
    );
    await Promise.all(texts.map((text) => steer(rig, id, text)));
    expect(await waiting(rig, run.id)).toEqual(texts);
  });

  rule(
    '[Q11] a message for the active run is stored and emitted, and its node gets a hint',
    async (rig) => {
      const id = await rig.session();
      const { run } = await rig.begin(id);
      const hints: string[] = [];
      rig.store.onHint(({ nodes }) => hints.push(...nodes));
      expect(await steer(rig, id)).toEqual({ runId: run.id, state: 'steered', known: false });
      await steer(rig, id, 'and that');
      expect(await waiting(rig, run.id)).toEqual(['also this', 'and that']);
      const emitted = await rig.events(id, 'run.steered');
      expect(emitted.map(({ runId, payload }) => [runId, payload])).toMatchObject([
        [run.id, { text: 'also this' }],
        [run.id, { text: 'and that' }],
      ]);
      await expect.poll(() => hints).toContain('node-1');
    },
  );

  rule('[H9] messages that wait for an agent count towards the limit of the queue', async (rig) => {
    const id = await rig.session();
    const { run, fence } = await rig.begin(id);
    await rig.send(id);
    await steer(rig, id, 'first', { queueMax: 3 });
    await steer(rig, id, 'second', { queueMax: 3 });
    await expect(steer(rig, id, 'third', { queueMax: 3 })).rejects.toEqual(refused('queue_full'));
    expect(await waiting(rig, run.id)).toEqual(['first', 'second']);
    const [given] = await rig.store.listSteers([run.id]);
    await rig.store.markSteer(given!.id, true, fence);
    await steer(rig, id, 'third', { queueMax: 3 });
  });

  rule('[H9] a run can be sent 4 MiB of messages, given or not', async (rig) => {
    const id = await rig.session();
    const { run, fence } = await rig.begin(id);
    const long = 'x'.repeat(1_000_000);
    for (let n = 0; n < 4; n++) await steer(rig, id, long);
    const [given] = await rig.store.listSteers([run.id], ['waiting']);
    await rig.store.markSteer(given!.id, true, fence);
    expect(await rig.store.listSteers([run.id], ['given'])).toHaveLength(1);
    expect(await rig.store.listSteers([run.id], ['waiting'])).toHaveLength(3);
    await expect(steer(rig, id, long)).rejects.toEqual(refused('cannot_steer'));
    await steer(rig, id, 'and this');
  });

  rule(
    '[P2] [Q7] everyone who steers a run speaks in it with their standing, also where it continues',
    async (rig) => {
      const id = await rig.session();
      const { run, fence } = await rig.begin(id);
      const said = { message: 'x', sender: 'bob', original: false };
      const from = (standing: object) =>
        steer(rig, id, 'x', { payload: JSON.stringify({ ...said, ...standing }) });
      await from({ channel: 'line' });
      await from({ channel: 'cli', through: ['web'] });
      const [given] = await rig.store.listSteers([run.id]);
      await rig.store.markSteer(given!.id, true, fence);
      rig.advance(LEASE_MS + 1);
      await rig.store.takeOver([]);
      await rig.restart();
      expect(await rig.store.speakersIn(run.id)).toEqual([
        { channel: 'line' },
        { channel: 'cli', through: ['web'] },
      ]);
    },
  );

  rule('[Q11] steering requires an active run', async (rig) => {
    const id = await rig.session();
    await expect(steer(rig, newId())).rejects.toEqual(refused('not_found'));
    await expect(steer(rig, id)).rejects.toEqual(refused('cannot_steer'));
    const claimed = await rig.begin(id);
    const { run, fence } = claimed;
    await rig.store.write([{ lane: id, fence, ask: true }]);
    expect(await steer(rig, id)).toMatchObject({ runId: run.id });
    await rig.store.change({ do: 'cancel', run: run.id, kind: 'stop' });
    await expect(steer(rig, id)).rejects.toEqual(refused('cannot_steer'));
  });

  rule('[Q11] a run with a result accepts no more messages', async (rig) => {
    const id = await rig.session();
    const { fence } = await rig.begin(id);
    const commit = { kind: 'succeeded', result: null } as const;
    await rig.store.write([{ lane: id, fence, commit }]);
    await expect(steer(rig, id)).rejects.toEqual(refused('cannot_steer'));
    expect(await rig.events(id, 'run.steered')).toEqual([]);
  });

  rule(
    '[Q11] [Q6] the current attempt gives each message once, and puts it back if the agent does not take it',
    async (rig) => {
      const id = await rig.session();
      const { run, fence } = await rig.begin(id);
      await steer(rig, id);
      const [it] = await rig.store.listSteers([run.id]);
      const steerId = it!.id;
      expect(await rig.store.markSteer(steerId, true, fence + 1)).toBe(false);
      expect(await waiting(rig, run.id)).toHaveLength(1);
      // The second call repeats the first, whose answer was lost.
      for (let i = 0; i < 2; i++)
        expect(await rig.store.markSteer(steerId, true, fence)).toBe(true);
      expect(await waiting(rig, run.id)).toEqual([]);
      expect(await rig.store.markSteer(steerId, false, fence)).toBe(true);
      expect(await waiting(rig, run.id)).toHaveLength(1);
    },
  );

  rule('[Q11] messages not given become runs at the head, in order, once', async (rig) => {
    const id = await rig.session();
    const claimed = await rig.begin(id);
    const { run, fence } = claimed;
    await rig.send(id, { payload: { message: 'later' } });
    for (const message of ['given', 'one', 'two']) await steer(rig, id, message);
    const [given] = await rig.store.listSteers([run.id]);
    await rig.store.markSteer(given!.id, true, fence);
    await rig.store.releaseSteers(run.id, fence + 1);
    expect(await queued(rig, id)).toEqual(['later']);
    for (let i = 0; i < 2; i++) await rig.store.releaseSteers(run.id, fence);
    expect(await queued(rig, id)).toEqual(['one', 'two', 'later']);
    await succeed(rig, claimed);
    expect(await rig.store.reconcileSteers(10)).toEqual({ changes: [], more: false });
    expect(await queued(rig, id)).toEqual(['one', 'two', 'later']);
  });

  rule('[Q11] the reconciler handles messages of a run that ended in any way', async (rig) => {
    const id = await rig.session();
    const claimed = await rig.begin(id);
    await steer(rig, id, 'secret', { original: 'sealed' });
    expect(await rig.store.reconcileSteers(10)).toEqual({ changes: [], more: false });
    await succeed(rig, claimed);
    await rig.reconcileAll();
    await rig.store.reconcileSteers(10);
    await rig.store.reconcileSteers(10);
    expect(await queued(rig, id)).toEqual(['secret']);
    expect(await rig.status(id)).toBe('ACTIVE');
    const [run] = await rig.store.listQueued(id, 10);
    expect(await rig.store.readOriginal(run!.id)).toBe('sealed');
  });

  rule('[Q11] [Q7] a run that continues on another node keeps its messages', async (rig) => {
    const id = await rig.session();
    const { run, fence } = await rig.begin(id);
    for (const message of ['given', 'waiting']) await steer(rig, id, message);
    const [given] = await rig.store.listSteers([run.id]);
    await rig.store.markSteer(given!.id, true, fence);
    rig.advance(LEASE_MS + 1);
    await rig.store.takeOver([]);
    await rig.store.reconcileSteers(10);
    expect((await rig.store.listSteers([run.id])).map(({ state }) => state)).toEqual([
      'given',
      'waiting',
    ]);
    expect(await rig.store.markSteer(given!.id, false, fence)).toBe(false);
  });

  rule('[Q11] messages of an ended session are cancelled like its runs', async (rig) => {
    const id = await rig.session();
    const { run, fence } = await rig.begin(id);
    await steer(rig, id);
    await rig.do(id, { do: 'terminate', reason: 'asked' });
    await rig.store.write([
      { lane: id, fence, end: { outcome: { kind: 'cancelled' }, retryDelayMs: 0 } },
    ]);
    await rig.store.reconcileSteers(10);
    const runs = await rig.store.list({ lane: id, limit: 10 });
    expect(runs.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(runs[0]!.id).toBe(run.id);
    expect(await rig.status(id)).toBe('TERMINATED');
    await rig.store.deleteSession(id);
    expect(await rig.store.listSteers([run.id])).toEqual([]);
  });

  rule(
    '[Q10] an idempotency key returns the same, also after the message became a run',
    async (rig) => {
      const id = await rig.session();
      const claimed = await rig.begin(id);
      const { run, fence } = claimed;
      const key = { idempotencyKey: 'k', bodyHash: 'h' };
      await steer(rig, id, 'once', key);
      expect(await steer(rig, id, 'once', key)).toEqual({
        runId: run.id,
        state: 'steered',
        known: true,
      });
      const other = steer(rig, id, 'other', { ...key, bodyHash: 'h2' });
      await expect(other).rejects.toEqual(refused('idempotency_conflict'));
      const asRun = rig.send(id, key);
      await expect(asRun).rejects.toEqual(refused('idempotency_conflict'));
      await rig.store.releaseSteers(run.id, fence);
      const [made] = await rig.store.listQueued(id, 10);
      expect(await steer(rig, id, 'once', key)).toEqual({
        runId: made!.id,
        state: 'queued',
        known: true,
      });
      expect(await rig.events(id, 'run.steered')).toHaveLength(1);
    },
  );
}
