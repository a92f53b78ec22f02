import { expect } from 'vitest';
import { refused } from '../../queue/conformance/rig.ts';
import { invocation, type SessionRule } from './rig.ts';

export function invocationRules(rule: SessionRule): void {
  rule('[A1] an invocation is stored at its start and again at its end', async (rig) => {
    const id = await rig.session();
    const { receipt } = await rig.send(id);
    const begun = invocation(id, receipt.id, { id: 'i1' });
    await rig.store.putInvocation(begun);
    expect(await rig.store.listInvocations(receipt.id)).toEqual([begun]);
    const ended = {
      ...begun,
      finishedAt: 2000,
      exitCode: 1,
      signal: 'SIGTERM',
      inputTokens: 10,
      outputTokens: 20,
      cacheCreationTokens: 30,
      cacheReadTokens: 40,
      model: 'm',
      costUsd: 0.25,
      costSource: 'agent',
      tools: [{ name: 'Bash', calls: 2 }],
      stderr: 'bad\n',
      error: { class: 'agent_crash', message: 'died' } as const,
    };
    await rig.store.putInvocation(ended);
    const next = invocation(id, receipt.id, { id: 'i0', startedAt: 3000 });
    await rig.store.putInvocation(next);
    expect(await rig.store.listInvocations(receipt.id)).toEqual([ended, next]);
    expect(await rig.store.listInvocations('nothing')).toEqual([]);
  });

  rule(
    '[A1] costs are summed per session and per run, and emitted when they change',
    async (rig) => {
      const id = await rig.session();
      const { receipt: one } = await rig.send(id);
      const { receipt: two } = await rig.send(id);
      const put = (runId: string, given: Parameters<typeof invocation>[2]) =>
        rig.store.putInvocation(invocation(id, runId, given));
      await put(one.id, { id: 'i1', costUsd: 0.1, inputTokens: 1 });
      await put(one.id, { id: 'i2', costUsd: 0.2, outputTokens: 2 });
      await put(two.id, { id: 'i3', costUsd: 1, cacheReadTokens: 3 });
      await put(two.id, { id: 'i3', costUsd: 0.5, cacheCreationTokens: 4, cacheReadTokens: 3 });
      await put(two.id, { id: 'i4' });
      const sums = await rig.store.sumInvocations(id);
      expect(sums).toEqual({
        costUsd: expect.closeTo(0.8) as number,
        estimatedUsd: 0,
        inputTokens: 1,
        outputTokens: 2,
        cacheCreationTokens: 4,
        cacheReadTokens: 3,
        invocations: 4,
      });
      expect((await rig.record(id)).costUsd).toBe(sums.costUsd);
      const emitted = (await rig.events(id, 'session.cost')).map(({ payload }) => payload);
      expect(emitted).toHaveLength(4);
      expect(emitted.at(-1)).toEqual({ costUsd: sums.costUsd });
      const costs = await rig.store.costsOf([one.id, two.id, 'nothing']);
      expect([...costs.keys()].sort()).toEqual([one.id, two.id].sort());
      expect(costs.get(one.id)).toBeCloseTo(0.3);
      expect(await rig.store.costsOf([])).toEqual(new Map());
    },
  );

  rule(
    '[A1] what an attempt writes to its session stays until another attempt writes',
    async (rig) => {
      const id = await rig.session('ACTIVE');
      const { run, fence } = await rig.begin(id);
      const put = (lastResponse: string | null, conversation: string | null) =>
        rig.store.putInvocation(invocation(id, run.id), { fence, lastResponse, conversation });
      rig.advance(100);
      await put('Done.', 'conv-1');
      expect(await rig.record(id)).toMatchObject({
        lastResponse: 'Done.',
        conversation: 'conv-1',
        lastActiveAt: rig.now,
      });
      await put(null, null);
      await rig.store.putInvocation(invocation(id, run.id));
      expect(await rig.record(id)).toMatchObject({
        lastResponse: 'Done.',
        conversation: 'conv-1',
      });
    },
  );

  rule(
    '[S10] [A3] two sessions never share a conversation, and a fork keeps its source',
    async (rig) => {
      const [one, two] = [await rig.session('ACTIVE'), await rig.session('ACTIVE')];
      const put = async (id: string, conversation: string, conversationHead?: string) => {
        const { run, fence } = await rig.begin(id);
        const head = conversationHead === undefined ? {} : { conversationHead };
        const left = { fence, lastResponse: null, conversation, ...head };
        await rig.store.putInvocation(invocation(id, run.id), left);
      };
      await put(one, 'conv', 'last');
      const original = { conversation: 'conv', conversationHead: 'last', forkPoint: null };
      await expect(put(two, 'conv')).rejects.toMatchObject({
        code: 'conversation_taken',
        details: { sessionId: one },
      });
      expect(await rig.record(one)).toMatchObject(original);
      expect((await rig.record(two)).conversation).toBeNull();

      const forkPoint = { conversation: 'conv', head: 'last' };
      const fork = await rig.create({ forkedFrom: one, forkPoint });
      expect(fork.session).toMatchObject({ conversation: null, conversationHead: null, forkPoint });
      await put(fork.session.id, 'own');
      expect(await rig.record(fork.session.id)).toMatchObject({ conversation: 'own', forkPoint });
      expect(await rig.record(one)).toMatchObject(original);
    },
  );

  rule(
    '[C2] the end of an invocation counts as output, its start and a repeated end do not',
    async (rig) => {
      const id = await rig.session('ACTIVE');
      const { run } = await rig.begin(id);
      const one = invocation(id, run.id);
      const put = (more: object) => rig.store.putInvocation({ ...one, ...more });
      await put({ finishedAt: null });
      expect((await rig.record(id)).lastOutputAt).toBeNull();
      rig.advance(100);
      await put({ finishedAt: rig.now });
      const at = rig.now;
      rig.advance(100);
      await put({ finishedAt: at });
      expect(await rig.record(id)).toMatchObject({ lastOutputAt: at, lastActiveAt: rig.now });
    },
  );

  rule('[Q6] an attempt with an old fence writes nothing to its session', async (rig) => {
    const id = await rig.session();
    const old = await rig.begin(id);
    const { run } = old;
    expect(await rig.queue.end(old, { kind: 'handed_back', reason: 'stopped' })).toBe(true);
    const put = (fence: number, conversation: string) =>
      rig.store.putInvocation(invocation(id, run.id, { id: conversation }), {
        fence,
        conversation,
        lastResponse: conversation,
      });
    const { fence } = await rig.queue.begin();
    await put(fence, 'new');
    await put(old.fence, 'old');
    expect(await rig.record(id)).toMatchObject({ conversation: 'new', lastResponse: 'new' });
    expect(await rig.store.listInvocations(run.id)).toHaveLength(2);
  });

  rule('[A3] invocations without a recorded end are listed by session', async (rig) => {
    const id = await rig.session();
    const other = await rig.session();
    const { receipt } = await rig.send(id);
    const elsewhere = await rig.send(other);
    const open = invocation(id, receipt.id, { id: 'open' });
    await rig.store.putInvocation(open);
    await rig.store.putInvocation(invocation(id, receipt.id, { id: 'ended', finishedAt: 2000 }));
    await rig.store.putInvocation(invocation(other, elsewhere.receipt.id, { id: 'other' }));
    expect(await rig.store.listUnfinished(id)).toEqual([open]);
    await rig.store.putInvocation({ ...open, finishedAt: 3000 });
    expect(await rig.store.listUnfinished(id)).toEqual([]);
  });

  rule('[A1] what programs print is stored, except NUL', async (rig) => {
    const id = await rig.session();
    const { run, fence } = await rig.begin(id);
    await rig.store.putInvocation(invocation(id, run.id, { stderr: 'a\0b 日本', tools: ['\0'] }), {
      fence,
      lastResponse: 'c\0d',
      conversation: null,
    });
    const [stored] = await rig.store.listInvocations(run.id);
    expect(stored).toMatchObject({ stderr: 'a\uFFFDb 日本', tools: ['\0'] });
    expect(await rig.record(id)).toMatchObject({ lastResponse: 'c\uFFFDd' });
    await rig.do(id, { do: 'fail', error: 'e\0f' });
    expect(await rig.record(id)).toMatchObject({ error: 'e\uFFFDf' });
  });

  rule('[A1] nothing is stored for a session that does not exist', async (rig) => {
    const stray = rig.store.putInvocation(invocation('nothing', 'nothing'));
    await expect(stray).rejects.toEqual(refused('not_found'));
  });
}
