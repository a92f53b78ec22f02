import { expect } from 'vitest';
import { newId } from '../../contract/values/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import type { Receipt } from '../../queue/store.ts';
import { MINUTE, type SessionRule } from './rig.ts';

const file = (name: string) => ({ name, mediaType: 'text/plain', sealed: `sealed ${name}` });

export function messageRules(rule: SessionRule): void {
  rule(
    '[S5] a message creates a run in the session’s lane, owned by the session’s owner',
    async (rig) => {
      const id = await rig.session('ACTIVE', { ownerId: 'bob' });
      rig.advance(5);
      const { receipt, changes } = await rig.send(id);
      const current = await rig.current(id);
      expect(receipt).toMatchObject({ lane: id, state: 'queued', position: 0, known: false });
      expect(await rig.queue.run(receipt.id)).toMatchObject({ lane: id, owner: 'bob' });
      expect(current).toMatchObject({ unfinishedRuns: 1, session: { lastActiveAt: rig.now } });
      expect(changes).toEqual([]);
      expect((await rig.send(id)).receipt.position).toBe(1);
    },
  );

  rule(
    '[S3] a message wakes an IDLE session and stops its timer, in one transaction',
    async (rig) => {
      const id = await rig.session('IDLE');
      const { changes } = await rig.send(id);
      const current = await rig.current(id);
      expect(changes).toEqual([{ sessionId: id, from: 'IDLE', to: 'ACTIVE', reason: 'message' }]);
      expect(current.session).toMatchObject({ status: 'ACTIVE', destroyAt: null });
      const types = (await rig.events(id)).map(({ type }) => type);
      expect(types.slice(-2)).toEqual(['session.status', 'run.queued']);
    },
  );

  rule(
    '[S1] an unfinished run keeps its session ACTIVE, even if it is not due yet',
    async (rig) => {
      const id = await rig.session('ACTIVE');
      const later = rig.now + 60 * MINUTE;
      const { receipt } = await rig.send(id, { runAt: later });
      expect(await rig.current(id)).toMatchObject({ unfinishedRuns: 1 });
      rig.advance(30 * MINUTE);
      expect((await rig.reconcile()).changes).toEqual([]);
      await rig.queue.cancel(receipt.id);
      expect((await rig.reconcile()).changes).toMatchObject([{ to: 'IDLE' }]);
    },
  );

  rule('[S5] a message to a PENDING session waits; one in ERROR is prepared again', async (rig) => {
    const pending = await rig.session('PENDING');
    expect((await rig.send(pending)).changes).toEqual([]);
    const failed = await rig.session('ERROR');
    expect((await rig.send(failed)).changes).toMatchObject([{ to: 'PENDING' }]);
    expect(await rig.record(failed)).toMatchObject({ status: 'PENDING', error: null });
  });

  rule('[S5] a message revives a session that ended idle or as an orphan', async (rig) => {
    const idle = await rig.session('IDLE');
    rig.advance(30 * MINUTE);
    await rig.reconcile();
    expect(await rig.record(idle)).toMatchObject({
      status: 'TERMINATED',
      statusReason: 'idle',
    });
    const orphan = await rig.session('ACTIVE');
    await rig.do(orphan, { do: 'terminate', reason: 'orphan' });
    for (const id of [idle, orphan]) {
      const { changes } = await rig.send(id);
      const current = await rig.current(id);
      expect(changes).toMatchObject([{ from: 'TERMINATED', to: 'PENDING', reason: 'message' }]);
      expect(current).toMatchObject({ unfinishedRuns: 1, session: { readyAt: null } });
      await rig.do(id, { do: 'ready', path: '/w' });
      expect(await rig.status(id)).toBe('ACTIVE');
    }
  });

  rule('[S5] a session ended by a person refuses messages until reopened', async (rig) => {
    for (const status of ['COMPLETED', 'TERMINATED'] as const) {
      const id = await rig.session(status);
      const before = await rig.current(id);
      const sent = rig.send(id);
      await expect(sent).rejects.toMatchObject({ code: 'session_ended', details: { status } });
      expect(await rig.current(id)).toEqual(before);
      expect(await rig.store.list({ lane: id, limit: 10 })).toEqual([]);
      await rig.do(id, { do: 'reopen' });
      await rig.send(id);
    }
  });

  rule('[Q11] reject: a busy session refuses the message, and nothing changes', async (rig) => {
    const id = await rig.session('ACTIVE');
    await rig.send(id, { onBusy: 'reject' });
    const before = await rig.current(id);
    rig.advance(1);
    const sent = rig.send(id, { onBusy: 'reject' }, { original: 'sealed' });
    await expect(sent).rejects.toEqual(refused('session_busy'));
    expect(await rig.current(id)).toEqual(before);
  });

  rule(
    '[Q11] interrupt: the active run is stopped, the message is next, nothing is held',
    async (rig) => {
      const id = await rig.session('ACTIVE');
      const running = await rig.begin(id);
      const { receipt: waiting } = await rig.send(id);
      const { receipt } = await rig.send(id, { onBusy: 'interrupt' });
      expect(receipt.position).toBe(1);
      expect(await rig.queue.queued(id)).toEqual([receipt.id, waiting.id]);
      expect(await rig.queue.lane(id)).toMatchObject({ cancel: 'interrupt' });
      await rig.queue.end(running, { kind: 'cancelled' });
      expect(await rig.current(id)).toMatchObject({ held: false, unfinishedRuns: 2 });
    },
  );

  rule('[Q10] the same key returns the same run and changes nothing', async (rig) => {
    const id = await rig.session('ACTIVE');
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    const first = await rig.send(id, keyed, { original: 'one' });
    rig.advance(10);
    const before = await rig.current(id);
    const again = await rig.send(id, keyed, { original: 'two', queueMax: 1 });
    expect(again.receipt).toMatchObject({ id: first.receipt.id, known: true });
    expect(again.changes).toEqual([]);
    expect(await rig.current(id)).toEqual(before);
    expect(await rig.store.readOriginal(first.receipt.id)).toBe('one');
    const other = rig.send(id, { ...keyed, bodyHash: 'other' });
    await expect(other).rejects.toEqual(refused('idempotency_conflict'));
  });

  rule('[Q10] a known key returns the current position of its run', async (rig) => {
    const id = await rig.session('ACTIVE');
    const keyed = (key: string) => ({ idempotencyKey: key, bodyHash: key });
    await rig.queue.node();
    await rig.do(id, { do: 'hold' });
    const sent: Receipt[] = [];
    for (const key of ['a', 'b', 'c']) sent.push((await rig.send(id, keyed(key))).receipt);
    const later = (await rig.send(id, { ...keyed('d'), runAt: rig.now + MINUTE })).receipt;
    const again = async () => {
      const receipts = [];
      for (const key of ['a', 'b', 'c', 'd']) {
        const { receipt } = await rig.send(id, keyed(key));
        expect(receipt).toMatchObject({ lane: id, known: true });
        receipts.push(receipt);
      }
      expect(receipts.map((one) => one.id)).toEqual([...sent, later].map((one) => one.id));
      return receipts.map(({ state, position }) => `${state} ${position}`);
    };
    expect([...sent, later].map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    expect(await again()).toEqual(['queued 0', 'queued 1', 'queued 2', 'queued 3']);
    const [first, , last] = sent.map((one) => one.id) as [string, string, string];
    await rig.store.change({ do: 'move', run: last, before: first });
    expect(await again()).toEqual(['queued 1', 'queued 2', 'queued 0', 'queued 3']);
    await rig.do(id, { do: 'resume' });
    const running = await rig.queue.begin();
    expect(await again()).toEqual(['queued 1', 'queued 2', 'running 0', 'queued 3']);
    await rig.queue.end(running, { kind: 'succeeded', result: null });
    expect(await again()).toEqual(['queued 0', 'queued 1', 'succeeded 0', 'queued 2']);
  });

  rule('[Q10] many requests with one key at once create one run, and all get it', async (rig) => {
    const ids = [await rig.session('ACTIVE'), await rig.session('ERROR')];
    ids.push(await rig.session('IDLE'));
    for (const id of ids) {
      const sent = await Promise.allSettled(
        ['h', 'h', 'other', 'h', 'h'].map((bodyHash) =>
          rig.send(id, { idempotencyKey: 'k', bodyHash }, { original: bodyHash, queueMax: 1 }),
        ),
      );
      const receipts = sent.flatMap((one) =>
        one.status === 'fulfilled' ? [one.value.receipt] : [],
      );
      const errors = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(new Set(receipts.map((one) => one.id)).size).toBe(1);
      expect(receipts.filter(({ known }) => !known)).toHaveLength(1);
      expect(errors).toEqual(errors.map(() => refused('idempotency_conflict')));
      // Either all requests with the same body win, or the one with the other body.
      expect([1, 4]).toContain(receipts.length);
      expect(await rig.events(id, 'run.queued')).toHaveLength(1);
      const won = receipts.length === 4 ? 'h' : 'other';
      expect(await rig.store.readOriginal(receipts[0]?.id ?? '')).toBe(won);
    }
    expect(await rig.queue.counts()).toEqual({ queued: ids.length });
  });

  rule('[Q1] messages are stored in the order of the calls, whether short or long', async (rig) => {
    const ids = [await rig.session('ACTIVE'), await rig.session('IDLE')];
    const texts = Array.from(
      { length: 40 },
      (_, i) => `${i} ${'-'.repeat(i % 5 === 0 ? 50_000 : 0)}`,
    );
    const sent = await Promise.all(
      ids.map((id) => Promise.all(texts.map((message) => rig.send(id, { payload: { message } })))),
    );
    for (const [i, id] of ids.entries()) {
      expect(await rig.queue.queued(id)).toEqual(sent[i]?.map(({ receipt }) => receipt.id));
      expect(sent[i]?.map(({ receipt }) => receipt.position)).toEqual(texts.map((_, at) => at));
    }
  });

  rule('[Q1] messages of every kind keep the order of the calls', async (rig) => {
    const id = await rig.session('ACTIVE', { ownerId: 'ann' });
    const known = await rig.send(id, { idempotencyKey: 'k', bodyHash: 'h' });
    const keyed = { idempotencyKey: 'new', bodyHash: 'h' };
    const sent = await Promise.allSettled([
      rig.send(id, {}, { userId: 'ann', original: 'sealed' }),
      rig.send(id, {}, { userId: 'bob' }),
      rig.send(id, keyed),
      rig.send(id, { idempotencyKey: 'k', bodyHash: 'h' }),
      rig.send(id, keyed),
      rig.send(id, { ...keyed, bodyHash: 'other' }),
      rig.send(id, {}, { attachments: [file('a')] }),
      rig.send(id),
      rig.send(id, { onBusy: 'reject' }),
      rig.send(id, {}, { queueMax: 2 }),
      rig.send(id),
    ]);
    const ids = sent.map((one) =>
      one.status === 'fulfilled' ? one.value.receipt.id : one.reason.code,
    );
    const [first, , third, , , , seventh, eighth, , , last] = ids;
    const kept = [first, third, seventh, eighth, last];
    expect(ids).toEqual([
      ...[first, 'not_found', third, known.receipt.id, third, 'idempotency_conflict'],
      ...[seventh, eighth, 'session_busy', 'queue_full', last],
    ]);
    expect(await rig.queue.queued(id)).toEqual([known.receipt.id, ...kept]);
    expect(await rig.store.readOriginal(first)).toBe('sealed');
  });

  rule('[Q10] the key of a refused message is free', async (rig) => {
    const id = await rig.session('ACTIVE');
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    await expect(rig.send(id, keyed, { queueMax: 0 })).rejects.toEqual(refused('queue_full'));
    const { receipt } = await rig.send(id, { ...keyed, bodyHash: 'other' });
    expect(receipt).toMatchObject({ known: false, position: 0 });
  });

  rule('[Q10] a known key still works after its session has ended', async (rig) => {
    const id = await rig.session('ACTIVE');
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    const { receipt } = await rig.send(id, keyed);
    await rig.do(id, { do: 'terminate', reason: 'asked' });
    const again = await rig.send(id, keyed);
    expect(again.receipt).toMatchObject({ id: receipt.id, state: 'cancelled', known: true });
    expect(await rig.status(id)).toBe('TERMINATED');
  });

  rule('[Q10] a key belongs to its session', async (rig) => {
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    const { receipt: one } = await rig.send(await rig.session(), keyed);
    const { receipt: two } = await rig.send(await rig.session(), keyed);
    expect(two).toMatchObject({ known: false });
    expect(two.id).not.toBe(one.id);
  });

  rule('[H9] the queue of a session is bounded; the active run does not count', async (rig) => {
    const id = await rig.session('ACTIVE');
    await rig.begin(id);
    await rig.send(id, {}, { queueMax: 2 });
    await rig.send(id, { runAt: rig.now + 1000 }, { queueMax: 2 });
    const before = await rig.current(id);
    const sent = rig.send(id, {}, { queueMax: 2 });
    await expect(sent).rejects.toMatchObject({ code: 'queue_full', details: { queued: 2 } });
    expect(await rig.current(id)).toEqual(before);
  });

  rule('[S8] a refused message does not wake its session', async (rig) => {
    const id = await rig.session('IDLE');
    const before = await rig.current(id);
    const sent = rig.send(id, {}, { queueMax: 0 });
    await expect(sent).rejects.toEqual(refused('queue_full'));
    expect(await rig.current(id)).toEqual(before);
  });

  rule('[Q12] a failed run holds the session only with holdOnFailure', async (rig) => {
    await rig.queue.node();
    for (const holdOnFailure of [true, false]) {
      const id = await rig.session('ACTIVE', { holdOnFailure });
      await rig.send(id);
      await rig.send(id);
      const error = { class: 'command_failed', message: 'exit 1' } as const;
      await rig.queue.finish(await rig.queue.claimOne(), { kind: 'failed', error });
      expect(await rig.current(id)).toMatchObject({ held: holdOnFailure, holdOnFailure });
      await rig.do(id, { do: 'terminate', reason: 'asked' });
    }
  });

  rule(
    '[A11] files are stored with their run, are also those of its retries, and are deleted with it',
    async (rig) => {
      const id = await rig.session();
      const attachments = [file('b'), file('a')];
      const key = { idempotencyKey: 'k', bodyHash: 'h' };
      const { receipt } = await rig.send(id, key, { attachments });
      await rig.send(id, key, { attachments });
      expect(await rig.store.readAttachments(receipt.id)).toEqual(attachments);
      await rig.store.change({ do: 'cancel', run: receipt.id, kind: 'stop' });
      const again = newId();
      await rig.store.retryRun(receipt.id, again, 100);
      expect(await rig.store.readAttachments(again)).toEqual(attachments);
      await rig.store.change({ do: 'cancel', run: again, kind: 'stop' });
      const third = newId();
      await rig.store.retryRun(again, third, 100);
      expect(await rig.store.readAttachments(third)).toEqual(attachments);
      const plain = await rig.send(id, {}, { attachments });
      expect(await rig.store.readAttachments(plain.receipt.id)).toEqual(attachments);
      await rig.store.deleteSession(id);
      expect(await rig.store.readAttachments(again)).toEqual([]);
    },
  );
}
