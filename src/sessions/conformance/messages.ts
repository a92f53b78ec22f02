import { expect } from 'vitest';
import { newId } from '../../contract/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import type { Receipt } from '../../queue/store.ts';
import { MINUTE, type SessionRule } from './rig.ts';

export function messageRules(rule: SessionRule): void {
  rule(
    '[S5] a message makes a run in the lane of its session, owned by its owner',
    async (bench) => {
      const id = await bench.session('ACTIVE', { ownerId: 'bob' });
      bench.advance(5);
      const { receipt, changes } = await bench.send(id);
      const found = await bench.found(id);
      expect(receipt).toMatchObject({ lane: id, state: 'queued', position: 0, known: false });
      expect(await bench.queue.run(receipt.id)).toMatchObject({ lane: id, owner: 'bob' });
      expect(found).toMatchObject({ unfinishedRuns: 1, session: { lastActiveAt: bench.now } });
      expect(changes).toEqual([]);
      expect((await bench.send(id)).receipt.position).toBe(1);
    },
  );

  rule(
    '[S3] a message wakes an IDLE session and stops its timer, in one transaction',
    async (bench) => {
      const id = await bench.session('IDLE');
      const { changes } = await bench.send(id);
      const found = await bench.found(id);
      expect(changes).toEqual([{ sessionId: id, from: 'IDLE', to: 'ACTIVE', reason: 'message' }]);
      expect(found.session).toMatchObject({ status: 'ACTIVE', destroyAt: null });
      const types = (await bench.events(id)).map(({ type }) => type);
      expect(types.slice(-2)).toEqual(['session.status', 'run.queued']);
    },
  );

  rule(
    '[S1] an unfinished run keeps its session ACTIVE, also one that is not due',
    async (bench) => {
      const id = await bench.session('ACTIVE');
      const later = bench.now + 60 * MINUTE;
      const { receipt } = await bench.send(id, { runAt: later });
      expect(await bench.found(id)).toMatchObject({ unfinishedRuns: 1 });
      bench.advance(30 * MINUTE);
      expect((await bench.settle()).changes).toEqual([]);
      await bench.queue.cancel(receipt.id);
      expect((await bench.settle()).changes).toMatchObject([{ to: 'IDLE' }]);
    },
  );

  rule(
    '[S5] a message to a PENDING session waits; to one in ERROR it prepares anew',
    async (bench) => {
      const pending = await bench.session('PENDING');
      expect((await bench.send(pending)).changes).toEqual([]);
      const failed = await bench.session('ERROR');
      expect((await bench.send(failed)).changes).toMatchObject([{ to: 'PENDING' }]);
      expect(await bench.record(failed)).toMatchObject({ status: 'PENDING', error: null });
    },
  );

  rule(
    '[S5] a message revives a session that ended idle, and one that was an orphan',
    async (bench) => {
      const idle = await bench.session('IDLE');
      bench.advance(30 * MINUTE);
      await bench.settle();
      expect(await bench.record(idle)).toMatchObject({
        status: 'TERMINATED',
        statusReason: 'idle',
      });
      const orphan = await bench.session('ACTIVE');
      await bench.do(orphan, { do: 'terminate', reason: 'orphan' });
      for (const id of [idle, orphan]) {
        const { changes } = await bench.send(id);
        const found = await bench.found(id);
        expect(changes).toMatchObject([{ from: 'TERMINATED', to: 'PENDING', reason: 'message' }]);
        expect(found).toMatchObject({ unfinishedRuns: 1, session: { readyAt: null } });
        await bench.do(id, { do: 'ready', path: '/w' });
        expect(await bench.status(id)).toBe('ACTIVE');
      }
    },
  );

  rule(
    '[S5] one completed or terminated by a person refuses messages until reopened',
    async (bench) => {
      for (const status of ['COMPLETED', 'TERMINATED'] as const) {
        const id = await bench.session(status);
        const before = await bench.found(id);
        const sent = bench.send(id);
        await expect(sent).rejects.toMatchObject({ code: 'session_ended', details: { status } });
        expect(await bench.found(id)).toEqual(before);
        expect(await bench.store.list({ lane: id, limit: 10 })).toEqual([]);
        await bench.do(id, { do: 'reopen' });
        await bench.send(id);
      }
    },
  );

  rule('[Q11] reject: a busy session refuses the message, and nothing changes', async (bench) => {
    const id = await bench.session('ACTIVE');
    await bench.send(id, { onBusy: 'reject' });
    const before = await bench.found(id);
    bench.advance(1);
    const sent = bench.send(id, { onBusy: 'reject' }, { original: 'sealed' });
    await expect(sent).rejects.toEqual(refused('session_busy'));
    expect(await bench.found(id)).toEqual(before);
  });

  rule(
    '[Q11] interrupt: what runs is stopped, the message is next, nothing is held',
    async (bench) => {
      const id = await bench.session('ACTIVE');
      const running = await bench.begin(id);
      const { receipt: waiting } = await bench.send(id);
      const { receipt } = await bench.send(id, { onBusy: 'interrupt' });
      expect(receipt.position).toBe(1);
      expect(await bench.queue.queued(id)).toEqual([receipt.id, waiting.id]);
      expect(await bench.queue.lane(id)).toMatchObject({ cancel: 'interrupt' });
      await bench.queue.end(running, { kind: 'cancelled' });
      expect(await bench.found(id)).toMatchObject({ held: false, unfinishedRuns: 2 });
    },
  );

  rule('[Q10] the same key gives the same run and changes nothing', async (bench) => {
    const id = await bench.session('ACTIVE');
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    const first = await bench.send(id, keyed, { original: 'one' });
    bench.advance(10);
    const before = await bench.found(id);
    const again = await bench.send(id, keyed, { original: 'two', queueMax: 1 });
    expect(again.receipt).toMatchObject({ id: first.receipt.id, known: true });
    expect(again.changes).toEqual([]);
    expect(await bench.found(id)).toEqual(before);
    expect(await bench.store.readOriginal(first.receipt.id)).toBe('one');
    const other = bench.send(id, { ...keyed, bodyHash: 'other' });
    await expect(other).rejects.toEqual(refused('idempotency_conflict'));
  });

  rule('[Q10] a known key answers where its run is by now', async (bench) => {
    const id = await bench.session('ACTIVE');
    const keyed = (key: string) => ({ idempotencyKey: key, bodyHash: key });
    await bench.queue.node();
    await bench.do(id, { do: 'hold' });
    const sent: Receipt[] = [];
    for (const key of ['a', 'b', 'c']) sent.push((await bench.send(id, keyed(key))).receipt);
    const later = (await bench.send(id, { ...keyed('d'), runAt: bench.now + MINUTE })).receipt;
    const again = async () => {
      const receipts = [];
      for (const key of ['a', 'b', 'c', 'd']) {
        const { receipt } = await bench.send(id, keyed(key));
        expect(receipt).toMatchObject({ lane: id, known: true });
        receipts.push(receipt);
      }
      expect(receipts.map((one) => one.id)).toEqual([...sent, later].map((one) => one.id));
      return receipts.map(({ state, position }) => `${state} ${position}`);
    };
    expect([...sent, later].map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    expect(await again()).toEqual(['queued 0', 'queued 1', 'queued 2', 'queued 3']);
    const [first, , last] = sent.map((one) => one.id) as [string, string, string];
    await bench.store.change({ do: 'move', run: last, before: first });
    expect(await again()).toEqual(['queued 1', 'queued 2', 'queued 0', 'queued 3']);
    await bench.do(id, { do: 'resume' });
    const running = await bench.queue.begin();
    expect(await again()).toEqual(['queued 1', 'queued 2', 'running 0', 'queued 3']);
    await bench.queue.end(running, { kind: 'succeeded', result: null });
    expect(await again()).toEqual(['queued 0', 'queued 1', 'succeeded 0', 'queued 2']);
  });

  rule(
    '[Q10] of many that send one key at once one run is made, and all are given it',
    async (bench) => {
      const ids = [await bench.session('ACTIVE'), await bench.session('ERROR')];
      ids.push(await bench.session('IDLE'));
      for (const id of ids) {
        const sent = await Promise.allSettled(
          ['h', 'h', 'other', 'h', 'h'].map((bodyHash) =>
            bench.send(id, { idempotencyKey: 'k', bodyHash }, { original: bodyHash, queueMax: 1 }),
          ),
        );
        const receipts = sent.flatMap((one) =>
          one.status === 'fulfilled' ? [one.value.receipt] : [],
        );
        const errors = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        expect(new Set(receipts.map((one) => one.id)).size).toBe(1);
        expect(receipts.filter(({ known }) => !known)).toHaveLength(1);
        expect(errors).toEqual(errors.map(() => refused('idempotency_conflict')));
        // All of one body, or the one of the other.
        expect([1, 4]).toContain(receipts.length);
        expect(await bench.events(id, 'run.queued')).toHaveLength(1);
        const won = receipts.length === 4 ? 'h' : 'other';
        expect(await bench.store.readOriginal(receipts[0]?.id ?? '')).toBe(won);
      }
      expect(await bench.queue.counts()).toEqual({ queued: ids.length });
    },
  );

  rule('[Q10] a key of a message that was refused is free', async (bench) => {
    const id = await bench.session('ACTIVE');
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    await expect(bench.send(id, keyed, { queueMax: 0 })).rejects.toEqual(refused('queue_full'));
    const { receipt } = await bench.send(id, { ...keyed, bodyHash: 'other' });
    expect(receipt).toMatchObject({ known: false, position: 0 });
  });

  rule('[Q10] a known key is answered by a session that has ended since', async (bench) => {
    const id = await bench.session('ACTIVE');
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    const { receipt } = await bench.send(id, keyed);
    await bench.do(id, { do: 'terminate', reason: 'asked' });
    const again = await bench.send(id, keyed);
    expect(again.receipt).toMatchObject({ id: receipt.id, state: 'cancelled', known: true });
    expect(await bench.status(id)).toBe('TERMINATED');
  });

  rule('[Q10] a key belongs to its session', async (bench) => {
    const keyed = { idempotencyKey: 'k', bodyHash: 'h' };
    const { receipt: one } = await bench.send(await bench.session(), keyed);
    const { receipt: two } = await bench.send(await bench.session(), keyed);
    expect(two).toMatchObject({ known: false });
    expect(two.id).not.toBe(one.id);
  });

  rule('[H9] the queue of a session has an end; what runs does not count', async (bench) => {
    const id = await bench.session('ACTIVE');
    await bench.begin(id);
    await bench.send(id, {}, { queueMax: 2 });
    await bench.send(id, { runAt: bench.now + 1000 }, { queueMax: 2 });
    const before = await bench.found(id);
    const sent = bench.send(id, {}, { queueMax: 2 });
    await expect(sent).rejects.toMatchObject({ code: 'queue_full', details: { queued: 2 } });
    expect(await bench.found(id)).toEqual(before);
  });

  rule('[S8] a message that is refused does not wake its session', async (bench) => {
    const id = await bench.session('IDLE');
    const before = await bench.found(id);
    const sent = bench.send(id, {}, { queueMax: 0 });
    await expect(sent).rejects.toEqual(refused('queue_full'));
    expect(await bench.found(id)).toEqual(before);
  });

  rule('[Q12] a failed run holds the session only if it says so', async (bench) => {
    await bench.queue.node();
    for (const holdOnFailure of [true, false]) {
      const id = await bench.session('ACTIVE', { holdOnFailure });
      await bench.send(id);
      await bench.send(id);
      const error = { class: 'command_failed', message: 'exit 1' } as const;
      await bench.queue.finish(await bench.queue.claimOne(), { kind: 'failed', error });
      expect(await bench.found(id)).toMatchObject({ held: holdOnFailure, holdOnFailure });
      await bench.do(id, { do: 'terminate', reason: 'asked' });
    }
  });

  rule(
    '[A11] files come with a run, once, are taken along by a retry, and go with it',
    async (bench) => {
      const id = await bench.session();
      const file = (name: string) => ({ name, mediaType: 'text/plain', sealed: `sealed ${name}` });
      const attachments = [file('b'), file('a')];
      const key = { idempotencyKey: 'k', bodyHash: 'h' };
      const { receipt } = await bench.send(id, key, { attachments });
      await bench.send(id, key, { attachments });
      expect(await bench.store.readAttachments(receipt.id)).toEqual(attachments);
      await bench.store.change({ do: 'cancel', run: receipt.id, kind: 'stop' });
      const again = newId();
      await bench.store.retryRun(receipt.id, again);
      expect(await bench.store.readAttachments(again)).toEqual(attachments);
      const plain = await bench.send(id, {}, { attachments });
      expect(await bench.store.readAttachments(plain.receipt.id)).toEqual(attachments);
      await bench.store.deleteSession(id);
      expect(await bench.store.readAttachments(again)).toEqual([]);
    },
  );
}
