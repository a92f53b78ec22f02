import { expect } from 'vitest';
import type { Usage } from '../../agents/driver.ts';
import type { CostBy } from '../../contract/api/cost.ts';
import { SUCCEEDED } from '../../queue/conformance/rig.ts';
import type { InvocationRecord } from '../session-store.ts';
import { invocation, type SessionRule, type SessionStoreRig } from './rig.ts';

const DAY = 86_400_000;
const USED = {
  inputTokens: 10,
  outputTokens: 20,
  cacheCreationTokens: 30,
  cacheReadTokens: 40,
  model: 'm',
  costUsd: 0.25,
  costSource: 'claude',
};

const usages = async (rig: SessionStoreRig, id: string) =>
  (await rig.events(id, 'agent.usage')).map(({ runId, attempt, payload }) => ({
    runId,
    attempt,
    payload,
  }));

export function costRules(rule: SessionRule): void {
  rule(
    '[A5] usage and cost are emitted once, with their run, however often they are stored',
    async (rig) => {
      const id = await rig.session();
      const { run } = await rig.begin(id);
      const begun = invocation(id, run.id);
      const ended = { ...begun, ...USED, finishedAt: rig.now };
      expect(await rig.store.putInvocation(begun)).toBe(false);
      expect(await usages(rig, id)).toEqual([]);
      // Stored before the outcome is committed, and again when the process is gone.
      expect(await rig.store.putInvocation({ ...ended, finishedAt: null })).toBe(false);
      expect(await rig.store.putInvocation(ended)).toBe(true);
      expect(await rig.store.putInvocation({ ...ended, exitCode: 0 })).toBe(false);
      const { costSource: source, ...usage } = USED;
      const payload = { ...usage, source };
      expect(await usages(rig, id)).toEqual([{ runId: run.id, attempt: 1, payload }]);
      expect(await rig.events(id, 'session.cost')).toHaveLength(1);
      expect((await rig.record(id)).costUsd).toBe(0.25);
      expect(await rig.store.costsOf([run.id])).toEqual(new Map([[run.id, 0.25]]));
    },
  );

  rule(
    '[A5] an estimate counts at once, is emitted when it has ended, and is corrected by a report',
    async (rig) => {
      const id = await rig.session('ACTIVE', { budgetUsd: 1 });
      const { run, fence } = await rig.begin(id);
      const put = (given: Partial<InvocationRecord>, usageEarlier?: Usage) =>
        rig.store.putInvocation(
          invocation(id, run.id, { ...USED, ...given }),
          ...(usageEarlier === undefined
            ? []
            : [{ fence, lastResponse: null, conversation: null, usageEarlier }]),
        );
      const killed = { costSource: 'estimated', finishedAt: rig.now };
      await put({ id: 'reported', startedAt: 1, finishedAt: rig.now });
      await put({ ...killed, id: 'working', startedAt: 2, finishedAt: null, costUsd: 0.5 });
      expect((await rig.record(id)).costUsd).toBe(0.75);
      expect(await usages(rig, id)).toHaveLength(1);
      await put({ ...killed, id: 'working', startedAt: 2, costUsd: 0.5 });
      expect((await usages(rig, id)).at(-1)?.payload).toMatchObject({ source: 'estimated' });
      expect((await rig.events(id, 'session.cost')).at(-1)?.payload).toEqual({ costUsd: 0.75 });
      // A late update from the process that was presumed dead.
      await put({ ...killed, id: 'working', startedAt: 2, finishedAt: null, costUsd: 9 });
      await put({ ...killed, id: 'outright', startedAt: 3, signal: 'SIGKILL', costUsd: 2 });
      await put({ ...killed, id: 'last', startedAt: 4, signal: 'SIGTERM', costUsd: 4 });
      expect(await rig.store.sumInvocations(id)).toMatchObject({
        costUsd: 6.75,
        estimatedUsd: 6.5,
      });

      const { costSource: source, ...counted } = USED;
      const earlier = { ...counted, source, costUsd: 3 };
      for (const finishedAt of [null, rig.now]) {
        await put({ id: 'next', startedAt: 5, finishedAt }, earlier);
        expect(await rig.store.sumInvocations(id)).toMatchObject({
          costUsd: 0.25 + 2 + 3 + 0.25,
          estimatedUsd: 2,
        });
      }
      const costs = (await rig.store.listInvocations(run.id)).map((each) => [
        each.id,
        each.costSource,
        each.costUsd,
      ]);
      expect(costs).toEqual([
        ['reported', 'claude', 0.25],
        ['working', 'claude', 0],
        ['outright', 'estimated', 2],
        ['last', 'claude', 3],
        ['next', 'claude', 0.25],
      ]);
      expect((await rig.record(id)).costUsd).toBe(5.5);
    },
  );

  rule('[A5] [Q8] a run emits nothing after its end, but its cost counts', async (rig) => {
    const id = await rig.session();
    const begun = await rig.begin(id);
    const { run } = begun;
    expect(await rig.queue.end(begun, SUCCEEDED)).toBe(true);
    const late = invocation(id, run.id, { ...USED, finishedAt: rig.now });
    expect(await rig.store.putInvocation(late)).toBe(true);
    expect(await usages(rig, id)).toMatchObject([{ runId: null, attempt: null }]);
    const ofRun = (await rig.events(id)).filter(({ runId }) => runId === run.id);
    expect(ofRun.at(-1)?.type).toBe('done');
    expect((await rig.record(id)).costUsd).toBe(0.25);
  });

  rule('[A5] an agent’s counters stay until it reports more, also in a fork', async (rig) => {
    const id = await rig.session();
    const { run, fence } = await rig.begin(id);
    const put = (conversation: string | null, usageAfter?: { total: number }) =>
      rig.store.putInvocation(invocation(id, run.id), {
        fence,
        lastResponse: null,
        conversation,
        ...(usageAfter === undefined ? {} : { usageAfter }),
      });
    expect((await rig.record(id)).usageBefore).toBeNull();
    await put('one', { total: 1 });
    await put('one');
    await put(null);
    expect((await rig.record(id)).usageBefore).toEqual({ total: 1 });
    const { usageBefore } = await rig.record(id);
    const fork = await rig.create({ usageBefore, forkedFrom: id });
    expect(fork.session.usageBefore).toEqual({ total: 1 });
    // A fork continues counting under its new id, and may be killed before it reports anything.
    await put('two');
    expect((await rig.record(id)).usageBefore).toEqual({ total: 1 });
    await put('three', { total: 3 });
    expect((await rig.record(id)).usageBefore).toEqual({ total: 3 });
    const old = { fence: fence - 1, lastResponse: null, conversation: 'old', usageAfter: 9 };
    await rig.store.putInvocation(invocation(id, run.id), old);
    expect((await rig.record(id)).usageBefore).toEqual({ total: 3 });
  });

  rule('[A5] costs are summed by day, user, channel, model and session', async (rig) => {
    const [one, two] = [await rig.session(), await rig.session()];
    const runs = new Map<string, string>();
    for (const id of [one, two]) runs.set(id, (await rig.send(id)).receipt.id);
    const noon = Math.floor(rig.now / DAY) * DAY + DAY / 2;
    const put = (id: string, given: Partial<InvocationRecord>) =>
      rig.store.putInvocation(invocation(id, runs.get(id)!, { finishedAt: noon, ...given }));
    await put(one, { ...USED, userId: 'ann', channel: 'cli' });
    await put(one, { ...USED, userId: 'bob', channel: 'web', model: 'n', costUsd: 1 });
    await put(two, { ...USED, userId: 'ann', channel: 'web', finishedAt: noon - DAY });
    await put(two, { costUsd: 0.5, finishedAt: noon + DAY / 2 - 1 });
    await put(two, { costUsd: 64, finishedAt: noon + DAY / 2 });
    await put(two, { costUsd: 64, finishedAt: null });
    const range = { from: noon - DAY, to: noon + DAY / 2, limit: 10 };
    const sums = async (by: CostBy, given: { limit?: number; visibleTo?: string } = {}) =>
      (await rig.store.listCosts({ by, ...range, ...given })).map(
        ({ key, costUsd, invocations }) => [key, costUsd, invocations],
      );
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    expect(await sums('day')).toEqual([
      [day(noon - DAY), 0.25, 1],
      [day(noon), 1.75, 3],
    ]);
    expect(await sums('user')).toEqual([
      ['bob', 1, 1],
      ['', 0.5, 1],
      ['ann', 0.5, 2],
    ]);
    expect(await sums('channel')).toEqual([
      ['web', 1.25, 2],
      ['', 0.5, 1],
      ['cli', 0.25, 1],
    ]);
    expect(await sums('model')).toEqual([
      ['n', 1, 1],
      ['', 0.5, 1],
      ['m', 0.5, 2],
    ]);
    expect(await sums('session')).toEqual([
      [one, 1.25, 2],
      [two, 0.75, 2],
    ]);
    expect(await sums('session', { limit: 1 })).toHaveLength(1);
    expect(await sums('session', { visibleTo: 'ann' })).toHaveLength(2);
    expect(await sums('session', { visibleTo: 'eve' })).toEqual([]);
    const [first] = await rig.store.listCosts({ by: 'user', ...range });
    expect(first).toEqual({
      key: 'bob',
      costUsd: 1,
      estimatedUsd: 0,
      inputTokens: 10,
      outputTokens: 20,
      cacheCreationTokens: 30,
      cacheReadTokens: 40,
      invocations: 1,
    });
    expect(await rig.store.sumByModel(one)).toMatchObject([
      { model: 'n', source: 'claude', costUsd: 1 },
      { model: 'm', source: 'claude', costUsd: 0.25 },
    ]);
    expect(await rig.store.sumByModel('nothing')).toEqual([]);
  });

  rule(
    '[Q16] the snapshot of an attempt survives a restart, until the session’s next run',
    async (rig) => {
      const id = await rig.session();
      const [{ receipt: first }, { receipt: next }] = [await rig.send(id), await rig.send(id)];
      const of = (runId: string, attempt: number) => ({
        runId,
        sessionId: id,
        attempt,
        kind: 'git',
        ref: { tree: '\0日本', attempt },
      });
      expect(await rig.store.readSnapshot(first.id)).toBeNull();
      await rig.store.putSnapshot(of(first.id, 1));
      await rig.store.putSnapshot(of(first.id, 2));
      await rig.restart();
      expect(await rig.store.readSnapshot(first.id)).toEqual(of(first.id, 2));
      await rig.store.putSnapshot(of(next.id, 1));
      expect(await rig.store.readSnapshot(first.id)).toBeNull();
      expect(await rig.store.readSnapshot(next.id)).toEqual(of(next.id, 1));
      await rig.store.deleteSession(id);
      expect(await rig.store.readSnapshot(next.id)).toBeNull();
    },
  );
}
