import { expect } from 'vitest';
import { refused } from '../../queue/conformance/rig.ts';
import { invocation, type SessionRule } from './rig.ts';

export function invocationRules(rule: SessionRule): void {
  rule('[A1] an invocation is stored at its start and again at its end', async (bench) => {
    const id = await bench.session();
    const { receipt } = await bench.send(id);
    const begun = invocation(id, receipt.id, { id: 'i1' });
    await bench.store.putInvocation(begun);
    expect(await bench.store.listInvocations(receipt.id)).toEqual([begun]);
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
    await bench.store.putInvocation(ended);
    const next = invocation(id, receipt.id, { id: 'i0', startedAt: 3000 });
    await bench.store.putInvocation(next);
    expect(await bench.store.listInvocations(receipt.id)).toEqual([ended, next]);
    expect(await bench.store.listInvocations('nothing')).toEqual([]);
  });

  rule(
    '[A1] costs are added up per session and per run, and told when they change',
    async (bench) => {
      const id = await bench.session();
      const { receipt: one } = await bench.send(id);
      const { receipt: two } = await bench.send(id);
      const put = (runId: string, given: Parameters<typeof invocation>[2]) =>
        bench.store.putInvocation(invocation(id, runId, given));
      await put(one.id, { id: 'i1', costUsd: 0.1, inputTokens: 1 });
      await put(one.id, { id: 'i2', costUsd: 0.2, outputTokens: 2 });
      await put(two.id, { id: 'i3', costUsd: 1, cacheReadTokens: 3 });
      await put(two.id, { id: 'i3', costUsd: 0.5, cacheCreationTokens: 4, cacheReadTokens: 3 });
      await put(two.id, { id: 'i4' });
      const sums = await bench.store.sumInvocations(id);
      expect(sums).toEqual({
        costUsd: expect.closeTo(0.8) as number,
        estimatedUsd: 0,
        inputTokens: 1,
        outputTokens: 2,
        cacheCreationTokens: 4,
        cacheReadTokens: 3,
        invocations: 4,
      });
      expect((await bench.record(id)).costUsd).toBe(sums.costUsd);
      const told = (await bench.events(id, 'session.cost')).map(({ payload }) => payload);
      expect(told).toHaveLength(4);
      expect(told.at(-1)).toEqual({ costUsd: sums.costUsd });
      const costs = await bench.store.costsOf([one.id, two.id, 'nothing']);
      expect([...costs.keys()].sort()).toEqual([one.id, two.id].sort());
      expect(costs.get(one.id)).toBeCloseTo(0.3);
      expect(await bench.store.costsOf([])).toEqual(new Map());
    },
  );

  rule(
    '[A1] what an attempt leaves stays on its session until another leaves something',
    async (bench) => {
      const id = await bench.session('ACTIVE');
      const { run, fence } = await bench.begin(id);
      const put = (lastResponse: string | null, conversation: string | null) =>
        bench.store.putInvocation(invocation(id, run.id), { fence, lastResponse, conversation });
      bench.advance(100);
      await put('Done.', 'conv-1');
      expect(await bench.record(id)).toMatchObject({
        lastResponse: 'Done.',
        conversation: 'conv-1',
        lastActiveAt: bench.now,
      });
      await put(null, null);
      await bench.store.putInvocation(invocation(id, run.id));
      expect(await bench.record(id)).toMatchObject({
        lastResponse: 'Done.',
        conversation: 'conv-1',
      });
    },
  );

  rule(
    '[S10] [A3] two sessions never have one conversation, and a fork keeps its beginning',
    async (bench) => {
      const [one, two] = [await bench.session('ACTIVE'), await bench.session('ACTIVE')];
      const put = async (id: string, conversation: string, conversationHead?: string) => {
        const { run, fence } = await bench.begin(id);
        const head = conversationHead === undefined ? {} : { conversationHead };
        const left = { fence, lastResponse: null, conversation, ...head };
        await bench.store.putInvocation(invocation(id, run.id), left);
      };
      await put(one, 'conv', 'last');
      const original = { conversation: 'conv', conversationHead: 'last', forkPoint: null };
      await expect(put(two, 'conv')).rejects.toMatchObject({
        code: 'conversation_taken',
        details: { sessionId: one },
      });
      expect(await bench.record(one)).toMatchObject(original);
      expect((await bench.record(two)).conversation).toBeNull();

      const forkPoint = { conversation: 'conv', head: 'last' };
      const fork = await bench.create({ forkedFrom: one, forkPoint });
      expect(fork.session).toMatchObject({ conversation: null, conversationHead: null, forkPoint });
      await put(fork.session.id, 'own');
      expect(await bench.record(fork.session.id)).toMatchObject({ conversation: 'own', forkPoint });
      expect(await bench.record(one)).toMatchObject(original);
    },
  );

  rule(
    '[C2] the end of an invocation is output, its beginning and a look are not',
    async (bench) => {
      const id = await bench.session('ACTIVE');
      const { run } = await bench.begin(id);
      const one = invocation(id, run.id);
      const put = (more: object) => bench.store.putInvocation({ ...one, ...more });
      await put({ finishedAt: null });
      expect((await bench.record(id)).lastOutputAt).toBeNull();
      bench.advance(100);
      await put({ finishedAt: bench.now });
      const at = bench.now;
      bench.advance(100);
      await put({ finishedAt: at });
      expect(await bench.record(id)).toMatchObject({ lastOutputAt: at, lastActiveAt: bench.now });
    },
  );

  rule('[Q6] an attempt that was taken away leaves nothing on its session', async (bench) => {
    const id = await bench.session();
    const old = await bench.begin(id);
    const { run } = old;
    expect(await bench.queue.end(old, { kind: 'handed_back', reason: 'stopped' })).toBe(true);
    const put = (fence: number, conversation: string) =>
      bench.store.putInvocation(invocation(id, run.id, { id: conversation }), {
        fence,
        conversation,
        lastResponse: conversation,
      });
    const { fence } = await bench.queue.begin();
    await put(fence, 'new');
    await put(old.fence, 'old');
    expect(await bench.record(id)).toMatchObject({ conversation: 'new', lastResponse: 'new' });
    expect(await bench.store.listInvocations(run.id)).toHaveLength(2);
  });

  rule('[A3] those whose end is not recorded are found by their session', async (bench) => {
    const id = await bench.session();
    const other = await bench.session();
    const { receipt } = await bench.send(id);
    const elsewhere = await bench.send(other);
    const open = invocation(id, receipt.id, { id: 'open' });
    await bench.store.putInvocation(open);
    await bench.store.putInvocation(invocation(id, receipt.id, { id: 'ended', finishedAt: 2000 }));
    await bench.store.putInvocation(invocation(other, elsewhere.receipt.id, { id: 'other' }));
    expect(await bench.store.listUnfinished(id)).toEqual([open]);
    await bench.store.putInvocation({ ...open, finishedAt: 3000 });
    expect(await bench.store.listUnfinished(id)).toEqual([]);
  });

  rule('[A1] what programs print is stored, NUL aside', async (bench) => {
    const id = await bench.session();
    const { run, fence } = await bench.begin(id);
    await bench.store.putInvocation(
      invocation(id, run.id, { stderr: 'a\0b 日本', tools: ['\0'] }),
      { fence, lastResponse: 'c\0d', conversation: null },
    );
    const [stored] = await bench.store.listInvocations(run.id);
    expect(stored).toMatchObject({ stderr: 'a\uFFFDb 日本', tools: ['\0'] });
    expect(await bench.record(id)).toMatchObject({ lastResponse: 'c\uFFFDd' });
    await bench.do(id, { do: 'fail', error: 'e\0f' });
    expect(await bench.record(id)).toMatchObject({ error: 'e\uFFFDf' });
  });

  rule('[A1] nothing is stored for a session that is not there', async (bench) => {
    const stray = bench.store.putInvocation(invocation('nothing', 'nothing'));
    await expect(stray).rejects.toEqual(refused('not_found'));
  });
}
