import { expect } from 'vitest';
import type { Outcome } from '../../contract/outcome.ts';
import type { RunState } from '../../contract/run.ts';
import { admission, failed, type Rule, refused, SUCCEEDED } from './rig.ts';

/** States, their events, and terminal states. */
export function stateRules(rule: Rule): void {
  rule('[Q8] each transition appends its event in the same transaction', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    const seen: [RunState, string[]][] = [];
    let after = 0;
    const record = async () => {
      const events = await rig.store.listAfter('l', after, 100);
      after = events.at(-1)?.seq ?? after;
      seen.push([(await rig.run(id)).state, events.map(({ type }) => type)]);
    };
    await record();
    const first = await rig.claimOne();
    await record();
    await rig.write(first, { start: true });
    await record();
    await rig.end(first, failed('timeout'));
    await record();
    rig.advance(1000);
    const second = await rig.begin();
    await record();
    await rig.write(second, { ask: true });
    await record();
    await rig.change({ do: 'answer', run: id });
    await rig.claim();
    await record();
    await rig.end(second, { kind: 'handed_back', reason: 'stop' });
    await record();
    const third = await rig.begin();
    await record();
    await rig.end(third);
    await record();
    expect(seen).toEqual([
      ['queued', ['run.queued']],
      ['dequeued', ['run.dequeued']],
      ['running', ['run.start']],
      ['retry_scheduled', ['run.retry_scheduled']],
      ['running', ['run.dequeued', 'run.start']],
      ['waiting', ['run.waiting']],
      ['running', ['run.start']],
      ['queued', ['run.handed_back']],
      ['running', ['run.dequeued', 'run.start']],
      ['succeeded', ['run.finished', 'done']],
    ]);
  });

  const ends: [string, Outcome, RunState][] = [
    ['succeeded', SUCCEEDED, 'succeeded'],
    ['failed', failed('invalid_request'), 'failed'],
    ['cancelled', { kind: 'cancelled' }, 'cancelled'],
    ['dead', failed('timeout'), 'dead'],
  ];
  for (const [name, outcome, state] of ends) {
    rule(`[Q8] a run that ended ${name} never changes again`, async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue({ lane: 'l', maxAttempts: 1 });
      const claimed = await rig.claimOne();
      await rig.finish(claimed, outcome);
      const run = await rig.run(id);
      expect(run).toMatchObject({ state, finishedAt: rig.now, nextRunAt: null });
      const events = await rig.store.listAfter('l', 0, 100);
      rig.advance(1);
      const refusals = [
        [() => rig.cancel(id), 'run_finished'],
        [() => rig.change({ do: 'edit', run: id, payload: '1' }), 'run_not_queued'],
        [() => rig.change({ do: 'move', run: id, before: null }), 'run_not_queued'],
        [() => rig.change({ do: 'remove', run: id }), 'run_not_queued'],
        [() => rig.change({ do: 'answer', run: id }), 'run_not_waiting'],
      ] as const;
      for (const [call, code] of refusals) await expect(call()).rejects.toEqual(refused(code));
      expect(await rig.end(claimed)).toBe(false);
      await rig.store.takeOver(['node-1']);
      expect(await rig.run(id)).toEqual(run);
      expect(await rig.store.listAfter('l', 0, 100)).toEqual(events);
    });
  }

  rule('[Q8] a manual retry copies the run to the head of its lane', async (rig) => {
    await rig.node();
    const old = await rig.enqueue({ lane: 'l', payload: { n: 1 }, maxAttempts: 2, owner: 'ann' });
    await rig.finish(await rig.claimOne(), failed('invalid_request'));
    const rest = await rig.enqueueMany(2, { lane: 'l' });
    const run = await rig.change({ do: 'retry', run: old.id, newId: 'again' });
    expect(run).toMatchObject({
      id: 'again',
      retryOf: old.id,
      state: 'queued',
      lane: 'l',
      owner: 'ann',
      type: 'task',
      payload: { n: 1 },
      attempts: 0,
      maxAttempts: 2,
      error: null,
      result: null,
    });
    expect(await rig.queued('l')).toEqual(['again', ...rest]);
    expect((await rig.run(old.id)).state).toBe('failed');
    expect(await rig.claimIds()).toEqual(['again']);
  });

  rule('[Q8] a manual retry may have another payload; the old run keeps its own', async (rig) => {
    await rig.node();
    const old = await rig.enqueue({ lane: 'l', payload: { n: 1 } });
    await rig.finish(await rig.claimOne());
    const run = await rig.change({ do: 'retry', run: old.id, newId: 'again', payload: '{"n":2}' });
    expect(run).toMatchObject({ id: 'again', retryOf: old.id, payload: { n: 2 } });
    expect(await rig.run(old.id)).toMatchObject({ payload: { n: 1 } });
  });

  rule('[Q8] a retry goes after the current run and before all queued ones', async (rig) => {
    await rig.node();
    const old = await rig.enqueue({ lane: 'l' });
    await rig.finish(await rig.claimOne());
    const rest = await rig.enqueueMany(2, { lane: 'l' });
    const running = await rig.begin();
    // More retries than there is room for between two positions, so the lane is renumbered.
    const retries = Array.from({ length: 25 }, (_, i) => `retry-${i}`);
    for (const newId of retries) await rig.change({ do: 'retry', run: old.id, newId });
    expect(await rig.queued('l')).toEqual([...retries.toReversed(), rest[1]]);
    await rig.end(running);
    expect(await rig.claimIds()).toEqual(['retry-24']);
  });

  rule('[Q8] only a finished run can be retried', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const retry = () => rig.change({ do: 'retry', run: id, newId: 'again' });
    await expect(retry()).rejects.toEqual(refused('run_not_finished'));
    const claimed = await rig.begin();
    await expect(retry()).rejects.toEqual(refused('run_not_finished'));
    await rig.end(claimed, failed('timeout'));
    await expect(retry()).rejects.toEqual(refused('run_not_finished'));
    expect(await rig.store.get('again')).toBeNull();
  });

  rule('[Q8] unknown runs and lanes are not found', async (rig) => {
    const commands = [
      { do: 'cancel', run: 'none', kind: 'stop' },
      { do: 'edit', run: 'none', payload: '1' },
      { do: 'move', run: 'none', before: null },
      { do: 'remove', run: 'none' },
      { do: 'retry', run: 'none', newId: 'x' },
      { do: 'answer', run: 'none' },
      { do: 'hold', lane: 'none' },
      { do: 'resume', lane: 'none' },
    ] as const;
    for (const command of commands) {
      await expect(rig.change(command), command.do).rejects.toEqual(refused('not_found'));
    }
    expect(await rig.store.get('none')).toBeNull();
    expect(await rig.store.getLane('none')).toBeNull();
    expect(await rig.store.listQueued('none', 10)).toEqual([]);
    expect(await rig.store.listAfter('none', 0, 10)).toEqual([]);
  });

  rule('[Q22] of two ends of one attempt exactly one counts', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(10);
    for (const claimed of await rig.claim()) {
      await rig.write(claimed, { start: true });
      const answers = await Promise.all([
        rig.end(claimed),
        rig.end(claimed, failed('invalid_request')),
        rig.end(claimed),
      ]);
      expect(answers.filter((answer) => answer)).toHaveLength(1);
    }
    for (const id of ids) {
      const types = await rig.eventTypes(id);
      expect(types.filter((type) => type === 'done')).toHaveLength(1);
      expect(types.filter((type) => type === 'run.finished')).toHaveLength(1);
    }
  });

  rule('[Q22] of two ends in one call exactly one counts', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    const { fence } = await rig.begin();
    const end = { lane: 'l', fence, end: { outcome: SUCCEEDED, retryDelayMs: 0 } };
    expect(await rig.store.write([end, end])).toEqual([true, false]);
    expect(await rig.eventTypes('l')).toEqual([
      'run.queued',
      'run.dequeued',
      'run.start',
      'run.finished',
      'done',
    ]);
  });

  rule('[Q22] a concurrent cancel and end result in one end', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(10);
    const claimed = await rig.claim();
    for (const one of claimed) await rig.write(one, { start: true });
    const races = claimed.flatMap((one) => [
      rig.end(one),
      rig.cancel(one.run.id).catch((error: unknown) => error),
    ]);
    await Promise.all(races);
    for (const id of ids) {
      expect((await rig.eventTypes(id)).filter((type) => type === 'done')).toHaveLength(1);
      expect((await rig.run(id)).state).toBe('succeeded');
    }
  });

  rule('[Q22] a second run with the same id is refused', async (rig) => {
    const { id } = await rig.enqueue();
    await expect(rig.enqueue({ id })).rejects.toThrow();
    await expect(rig.store.enqueue([admission(), admission({ id })])).rejects.toThrow();
    expect(await rig.counts()).toEqual({ queued: 1 });
    expect(await rig.eventTypes(id)).toEqual(['run.queued']);
  });
}
