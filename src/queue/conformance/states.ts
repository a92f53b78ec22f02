import { expect } from 'vitest';
import type { Outcome } from '../../contract/outcome.ts';
import type { RunState } from '../../contract/run.ts';
import { admission, failed, type Rule, refused, SUCCEEDED } from './rig.ts';

/** States, their events, and the end that never changes. */
export function stateRules(rule: Rule): void {
  rule('[Q8] each transition appends its event in the same step', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    const seen: [RunState, string[]][] = [];
    let after = 0;
    const look = async () => {
      const events = await b.store.listAfter('l', after, 100);
      after = events.at(-1)?.seq ?? after;
      seen.push([(await b.run(id)).state, events.map(({ type }) => type)]);
    };
    await look();
    const first = await b.claimOne();
    await look();
    await b.write(first, { start: true });
    await look();
    await b.end(first, failed('timeout'));
    await look();
    b.advance(1000);
    const second = await b.begin();
    await look();
    await b.write(second, { ask: true });
    await look();
    await b.change({ do: 'answer', run: id });
    await b.claim();
    await look();
    await b.end(second, { kind: 'handed_back', reason: 'stop' });
    await look();
    const third = await b.begin();
    await look();
    await b.end(third);
    await look();
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
    rule(`[Q8] a run that ended ${name} never changes again`, async (b) => {
      await b.node();
      const { id } = await b.enqueue({ lane: 'l', maxAttempts: 1 });
      const claimed = await b.claimOne();
      await b.finish(claimed, outcome);
      const run = await b.run(id);
      expect(run).toMatchObject({ state, finishedAt: b.now, nextRunAt: null });
      const events = await b.store.listAfter('l', 0, 100);
      b.advance(1);
      const refusals = [
        [() => b.cancel(id), 'run_finished'],
        [() => b.change({ do: 'edit', run: id, payload: '1' }), 'run_not_queued'],
        [() => b.change({ do: 'move', run: id, before: null }), 'run_not_queued'],
        [() => b.change({ do: 'remove', run: id }), 'run_not_queued'],
        [() => b.change({ do: 'answer', run: id }), 'run_not_waiting'],
      ] as const;
      for (const [call, code] of refusals) await expect(call()).rejects.toEqual(refused(code));
      expect(await b.end(claimed)).toBe(false);
      await b.store.takeOver(['node-1']);
      expect(await b.run(id)).toEqual(run);
      expect(await b.store.listAfter('l', 0, 100)).toEqual(events);
    });
  }

  rule('[Q8] a manual retry is a new run like the old one, at the head', async (b) => {
    await b.node();
    const old = await b.enqueue({ lane: 'l', payload: { n: 1 }, maxAttempts: 2, owner: 'ann' });
    await b.finish(await b.claimOne(), failed('invalid_request'));
    const rest = await b.enqueueMany(2, { lane: 'l' });
    const run = await b.change({ do: 'retry', run: old.id, newId: 'again' });
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
    expect(await b.queued('l')).toEqual(['again', ...rest]);
    expect((await b.run(old.id)).state).toBe('failed');
    expect(await b.claimIds()).toEqual(['again']);
  });

  rule('[Q8] a manual retry may have another payload; the old run keeps its own', async (b) => {
    await b.node();
    const old = await b.enqueue({ lane: 'l', payload: { n: 1 } });
    await b.finish(await b.claimOne());
    const run = await b.change({ do: 'retry', run: old.id, newId: 'again', payload: '{"n":2}' });
    expect(run).toMatchObject({ id: 'again', retryOf: old.id, payload: { n: 2 } });
    expect(await b.run(old.id)).toMatchObject({ payload: { n: 1 } });
  });

  rule('[Q8] a retry goes behind the run under way and before all queued ones', async (b) => {
    await b.node();
    const old = await b.enqueue({ lane: 'l' });
    await b.finish(await b.claimOne());
    const rest = await b.enqueueMany(2, { lane: 'l' });
    const running = await b.begin();
    // More often than there is room between two places, so that the lane is renumbered.
    const retries = Array.from({ length: 25 }, (_, i) => `retry-${i}`);
    for (const newId of retries) await b.change({ do: 'retry', run: old.id, newId });
    expect(await b.queued('l')).toEqual([...retries.toReversed(), rest[1]]);
    await b.end(running);
    expect(await b.claimIds()).toEqual(['retry-24']);
  });

  rule('[Q8] only a finished run can be retried', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const retry = () => b.change({ do: 'retry', run: id, newId: 'again' });
    await expect(retry()).rejects.toEqual(refused('run_not_finished'));
    const claimed = await b.begin();
    await expect(retry()).rejects.toEqual(refused('run_not_finished'));
    await b.end(claimed, failed('timeout'));
    await expect(retry()).rejects.toEqual(refused('run_not_finished'));
    expect(await b.store.get('again')).toBeNull();
  });

  rule('[Q8] unknown runs and lanes are not found', async (b) => {
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
      await expect(b.change(command), command.do).rejects.toEqual(refused('not_found'));
    }
    expect(await b.store.get('none')).toBeNull();
    expect(await b.store.getLane('none')).toBeNull();
    expect(await b.store.listQueued('none', 10)).toEqual([]);
    expect(await b.store.listAfter('none', 0, 10)).toEqual([]);
  });

  rule('[Q22] of two ends of one attempt exactly one counts', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(10);
    for (const claimed of await b.claim()) {
      await b.write(claimed, { start: true });
      const answers = await Promise.all([
        b.end(claimed),
        b.end(claimed, failed('invalid_request')),
        b.end(claimed),
      ]);
      expect(answers.filter((answer) => answer)).toHaveLength(1);
    }
    for (const id of ids) {
      const types = await b.eventTypes(id);
      expect(types.filter((type) => type === 'done')).toHaveLength(1);
      expect(types.filter((type) => type === 'run.finished')).toHaveLength(1);
    }
  });

  rule('[Q22] of two ends in one call exactly one counts', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    const { fence } = await b.begin();
    const end = { lane: 'l', fence, end: { outcome: SUCCEEDED, retryDelayMs: 0 } };
    expect(await b.store.write([end, end])).toEqual([true, false]);
    expect(await b.eventTypes('l')).toEqual([
      'run.queued',
      'run.dequeued',
      'run.start',
      'run.finished',
      'done',
    ]);
  });

  rule('[Q22] a cancel and an end that meet give one end', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(10);
    const claimed = await b.claim();
    for (const one of claimed) await b.write(one, { start: true });
    const races = claimed.flatMap((one) => [
      b.end(one),
      b.cancel(one.run.id).catch((error: unknown) => error),
    ]);
    await Promise.all(races);
    for (const id of ids) {
      expect((await b.eventTypes(id)).filter((type) => type === 'done')).toHaveLength(1);
      expect((await b.run(id)).state).toBe('succeeded');
    }
  });

  rule('[Q22] a second run with the same id is refused', async (b) => {
    const { id } = await b.enqueue();
    await expect(b.enqueue({ id })).rejects.toThrow();
    await expect(b.store.enqueue([admission(), admission({ id })])).rejects.toThrow();
    expect(await b.counts()).toEqual({ queued: 1 });
    expect(await b.eventTypes(id)).toEqual(['run.queued']);
  });
}
