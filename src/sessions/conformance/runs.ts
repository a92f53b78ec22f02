import { expect } from 'vitest';
import { newId } from '../../contract/values/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { MINUTE, type SessionRule } from './rig.ts';

export function runRules(rule: SessionRule): void {
  rule('[P4] the original of a message is stored beside its run', async (rig) => {
    const id = await rig.session();
    const { receipt: masked } = await rig.send(id, {}, { original: 'sealed' });
    const { receipt: plain } = await rig.send(id);
    expect(await rig.store.readOriginal(masked.id)).toBe('sealed');
    expect(await rig.store.readOriginal(plain.id)).toBeNull();
  });

  rule('[Q12] an edit replaces a queued run’s message and original', async (rig) => {
    const id = await rig.session();
    const { receipt } = await rig.send(id, {}, { original: 'sealed' });
    const edit = (payload: string, original: string | null) =>
      rig.store.editRun(receipt.id, { payload, original });
    const run = await edit('{"message":"other"}', 'sealed again');
    expect(run).toMatchObject({ id: receipt.id, payload: { message: 'other' } });
    expect(await rig.store.readOriginal(receipt.id)).toBe('sealed again');
    await edit('{"message":"plain"}', null);
    expect(await rig.store.readOriginal(receipt.id)).toBeNull();
  });

  rule('[Q12] an edit changes message and position at once', async (rig) => {
    const id = await rig.session();
    const { receipt: first } = await rig.send(id);
    const { receipt: second } = await rig.send(id, {}, { original: 'sealed' });
    const payload = '{"message":"now"}';
    await rig.store.editRun(second.id, { payload, original: null, before: first.id });
    expect(await rig.queue.queued(id)).toEqual([second.id, first.id]);
    await rig.store.editRun(second.id, { before: null });
    expect(await rig.queue.queued(id)).toEqual([first.id, second.id]);
    expect(await rig.queue.run(second.id)).toMatchObject({ payload: { message: 'now' } });
  });

  rule('[Q12] the edits of a run take effect in the order of the calls', async (rig) => {
    const id = await rig.session();
    const { receipt } = await rig.send(id);
    const texts = Array.from({ length: 12 }, (_, i) => '-'.repeat(i % 3 === 0 ? 50_000 : i));
    const edits = texts.map((message) =>
      rig.store.editRun(receipt.id, { payload: JSON.stringify({ message }), original: null }),
    );
    const edited = (await Promise.all(edits)).map(({ payload }) => payload);
    expect(edited).toEqual(texts.map((message) => ({ message })));
    expect(await rig.queue.run(receipt.id)).toMatchObject({ payload: { message: texts.at(-1) } });
  });

  rule('[Q12] an edit is applied completely or not at all', async (rig) => {
    const id = await rig.session();
    const running = await rig.begin(id);
    const { receipt } = await rig.send(id, {}, { original: 'sealed' });
    const before = await rig.queue.run(receipt.id);
    const edit = (runId: string, target: string) =>
      rig.store.editRun(runId, { payload: '1', original: null, before: target });
    const wrong = edit(receipt.id, running.run.id);
    await expect(wrong).rejects.toEqual(refused('invalid_request'));
    expect(await rig.queue.run(receipt.id)).toEqual(before);
    expect(await rig.store.readOriginal(receipt.id)).toBe('sealed');
    await expect(edit(running.run.id, receipt.id)).rejects.toEqual(refused('run_not_queued'));
    await expect(edit('nothing', receipt.id)).rejects.toEqual(refused('not_found'));
  });

  rule('[P4] the original is deleted with a removed run', async (rig) => {
    const id = await rig.session();
    const { receipt } = await rig.send(id, {}, { original: 'sealed' });
    await rig.queue.change({ do: 'remove', run: receipt.id });
    expect(await rig.store.readOriginal(receipt.id)).toBeNull();
  });

  rule(
    '[Q8] a retry is a new run at the head, with the original, and wakes the session',
    async (rig) => {
      const id = await rig.session();
      const { receipt } = await rig.send(id, {}, { original: 'sealed' });
      await rig.queue.node();
      await rig.queue.finish(await rig.queue.claimOne());
      rig.advance(MINUTE);
      await rig.reconcile();
      expect(await rig.status(id)).toBe('IDLE');
      const again = newId();
      const { current, changes } = await rig.store.retryRun(receipt.id, again, 100);
      expect(changes).toMatchObject([{ from: 'IDLE', to: 'ACTIVE', reason: 'message' }]);
      expect(current).toMatchObject({ unfinishedRuns: 1 });
      expect(await rig.queue.run(again)).toMatchObject({ retryOf: receipt.id, state: 'queued' });
      expect(await rig.store.readOriginal(again)).toBe('sealed');
      expect(await rig.store.readOriginal(receipt.id)).toBe('sealed');
    },
  );

  rule("[P2] a retry may be another person's; the run it repeats is not", async (rig) => {
    const id = await rig.session();
    const { receipt } = await rig.send(id, { payload: { message: 'hello', sender: 'ann' } });
    await rig.queue.node();
    await rig.queue.finish(await rig.queue.claimOne());
    const again = newId();
    await rig.store.retryRun(receipt.id, again, 100, '{"message":"hello","sender":"bob"}');
    expect(await rig.queue.run(again)).toMatchObject({ payload: { sender: 'bob' } });
    expect(await rig.queue.run(receipt.id)).toMatchObject({ payload: { sender: 'ann' } });
  });

  rule('[H9] a retry counts towards the limit of the queue', async (rig) => {
    const id = await rig.session();
    const { receipt } = await rig.send(id);
    await rig.queue.node();
    await rig.queue.finish(await rig.queue.claimOne());
    await rig.send(id);
    await rig.store.retryRun(receipt.id, newId(), 2);
    const full = rig.store.retryRun(receipt.id, newId(), 2);
    await expect(full).rejects.toEqual(refused('queue_full'));
  });

  rule(
    '[Q8] a run that is unfinished, missing, or of an ended session is not retried',
    async (rig) => {
      const id = await rig.session();
      const { receipt } = await rig.send(id);
      const retry = (run: string) => rig.store.retryRun(run, newId(), 100);
      await expect(retry(receipt.id)).rejects.toEqual(refused('run_not_finished'));
      await expect(retry('nothing')).rejects.toEqual(refused('not_found'));
      await rig.do(id, { do: 'terminate', reason: 'asked' });
      await expect(retry(receipt.id)).rejects.toEqual(refused('session_ended'));
    },
  );

  rule('[Q21] the runs of a session survive the purge of others', async (rig) => {
    const id = await rig.session();
    await rig.queue.node();
    const { receipt } = await rig.send(id, {}, { original: 'sealed' });
    await rig.queue.finish(await rig.queue.claimOne());
    const alone = await rig.queue.enqueue();
    await rig.queue.finish(await rig.queue.claimOne());
    rig.advance(1);
    expect(await rig.store.purge({ before: rig.now, limit: 10 })).toEqual({
      runs: 1,
      lanes: 1,
    });
    expect(await rig.store.get(alone.id)).toBeNull();
    expect(await rig.queue.run(receipt.id)).toMatchObject({ state: 'succeeded' });
    expect(await rig.store.readOriginal(receipt.id)).toBe('sealed');
  });

  rule('[Q23] a session to be pinned is pinned to the host of its first run', async (rig) => {
    const id = await rig.session('ACTIVE', { pin: true });
    await rig.queue.node('node-1', { host: 'host-1' });
    await rig.queue.node('node-2', { host: 'host-2' });
    await rig.send(id);
    await rig.queue.finish(await rig.queue.claimOne({ nodeId: 'node-2' }));
    expect(await rig.current(id)).toMatchObject({ host: 'host-2', hostAway: false });
    await rig.send(id);
    expect(await rig.queue.claim({ nodeId: 'node-1' })).toEqual([]);
    await rig.store.leave('node-2');
    expect(await rig.current(id)).toMatchObject({ hostAway: true, unfinishedRuns: 1 });
  });

  rule('[Q23] a host whose only node serves the API counts as away', async (rig) => {
    const id = await rig.session('PENDING', { pin: true });
    await rig.do(id, { do: 'ready', path: '/w', host: 'host-1' });
    await rig.queue.node('api', { host: 'host-1', roles: ['api'], types: [] });
    expect(await rig.current(id)).toMatchObject({ host: 'host-1', hostAway: true });
    await rig.queue.node('both', { host: 'host-1', roles: ['api', 'worker'] });
    expect(await rig.current(id)).toMatchObject({ hostAway: false });
  });

  rule('[Q23] a session created for a host is prepared and run only there', async (rig) => {
    const id = await rig.session('PENDING', { pin: true, host: 'host-2' });
    await rig.queue.node('node-1', { host: 'host-1' });
    await rig.queue.node('node-2', { host: 'host-2' });
    const pending = async (host: string) =>
      (await rig.store.listPending(host, 10)).map(({ session }) => session.id);
    expect([await pending('host-1'), await pending('host-2')]).toEqual([[], [id]]);
    await rig.do(id, { do: 'fail', host: 'host-1', error: 'no such directory' });
    expect(await rig.current(id)).toMatchObject({ session: { status: 'PENDING', error: null } });
    await rig.send(id);
    expect(await rig.queue.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await rig.queue.claim({ nodeId: 'node-2' })).toHaveLength(1);
  });

  rule('[Q23] a session is moved to another host, but not while its run executes', async (rig) => {
    const id = await rig.session('PENDING', { pin: true });
    await rig.do(id, { do: 'ready', path: '/w', host: 'host-1' });
    await rig.queue.node('node-1', { host: 'host-1' });
    await rig.queue.node('node-2', { host: 'host-2' });
    await rig.send(id);
    await rig.send(id);
    const first = await rig.queue.claimOne({ nodeId: 'node-1' });
    const move = { do: 'move', host: 'host-2', path: '/elsewhere' } as const;
    await expect(rig.do(id, move)).rejects.toEqual(refused('session_busy'));
    expect(await rig.current(id)).toMatchObject({ host: 'host-1' });
    await rig.queue.finish(first);
    await rig.do(id, move);
    expect(await rig.current(id)).toMatchObject({
      host: 'host-2',
      session: { workspacePath: '/elsewhere', status: 'ACTIVE' },
    });
    expect(await rig.queue.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await rig.queue.claim({ nodeId: 'node-2' })).toHaveLength(1);
    const events = await rig.store.listAfter(id, 0, 100);
    expect(events.filter(({ type }) => type === 'session.moved')).toMatchObject([
      { payload: { from: 'host-1', to: 'host-2' } },
    ]);
    // Reports from the old host no longer count.
    await rig.do(id, { do: 'fail', host: 'host-1', error: 'no room' });
    expect(await rig.current(id)).toMatchObject({ session: { status: 'ACTIVE' } });
  });

  rule('[Q23] a session to be pinned is pinned to the host that prepared it', async (rig) => {
    await rig.queue.node('node-1', { host: 'host-1' });
    const ready = { do: 'ready', path: '/w', host: 'host-2' } as const;
    const pinned = await rig.session('PENDING', { pin: true });
    await rig.do(pinned, ready);
    expect(await rig.current(pinned)).toMatchObject({ host: 'host-2', hostAway: true });
    const here = { host: 'host-2', session: { status: 'ACTIVE', workspacePath: '/w' } };
    // Another host may have started preparing it, too.
    await rig.do(pinned, { ...ready, host: 'host-3', path: '/other' });
    expect(await rig.current(pinned)).toMatchObject(here);
    await rig.do(pinned, { do: 'fail', host: 'host-3', error: 'no room' });
    expect(await rig.current(pinned)).toMatchObject(here);
    const free = await rig.session('PENDING', { pin: false });
    await rig.do(free, ready);
    expect(await rig.current(free)).toMatchObject({ host: null, hostAway: false });
    await rig.send(pinned);
    expect(await rig.queue.claim({ nodeId: 'node-1' })).toEqual([]);
  });

  rule('[Q15] a session shows until when its run is parked', async (rig) => {
    const id = await rig.session();
    const { fence } = await rig.begin(id);
    expect(await rig.current(id)).toMatchObject({ delayedUntil: null });
    const until = rig.now + 5 * MINUTE;
    const error = { class: 'usage_limit', message: 'come back later' } as const;
    const outcome = { kind: 'parked', until, error } as const;
    await rig.store.write([{ lane: id, fence, end: { outcome, retryDelayMs: 0 } }]);
    expect(await rig.current(id)).toMatchObject({ delayedUntil: until, unfinishedRuns: 1 });
  });
}
