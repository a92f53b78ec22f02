import { expect } from 'vitest';
import { newId } from '../../contract/ids.ts';
import { refused } from '../../queue/conformance/rig.ts';
import { MINUTE, type SessionRule } from './rig.ts';

export function runRules(rule: SessionRule): void {
  rule('[P4] the original of a message is kept beside its run', async (bench) => {
    const id = await bench.session();
    const { receipt: masked } = await bench.send(id, {}, { original: 'sealed' });
    const { receipt: plain } = await bench.send(id);
    expect(await bench.store.readOriginal(masked.id)).toBe('sealed');
    expect(await bench.store.readOriginal(plain.id)).toBeNull();
  });

  rule('[Q12] an edit gives a queued run another message and another original', async (bench) => {
    const id = await bench.session();
    const { receipt } = await bench.send(id, {}, { original: 'sealed' });
    const edit = (payload: string, original: string | null) =>
      bench.store.editRun(receipt.id, { payload, original });
    const run = await edit('{"message":"other"}', 'sealed anew');
    expect(run).toMatchObject({ id: receipt.id, payload: { message: 'other' } });
    expect(await bench.store.readOriginal(receipt.id)).toBe('sealed anew');
    await edit('{"message":"plain"}', null);
    expect(await bench.store.readOriginal(receipt.id)).toBeNull();
  });

  rule('[Q12] an edit gives another message and another place at once', async (bench) => {
    const id = await bench.session();
    const { receipt: first } = await bench.send(id);
    const { receipt: second } = await bench.send(id, {}, { original: 'sealed' });
    const payload = '{"message":"now"}';
    await bench.store.editRun(second.id, { payload, original: null, before: first.id });
    expect(await bench.queue.queued(id)).toEqual([second.id, first.id]);
    await bench.store.editRun(second.id, { before: null });
    expect(await bench.queue.queued(id)).toEqual([first.id, second.id]);
    expect(await bench.queue.run(second.id)).toMatchObject({ payload: { message: 'now' } });
  });

  rule('[Q12] an edit that cannot be done whole is not done at all', async (bench) => {
    const id = await bench.session();
    const running = await bench.begin(id);
    const { receipt } = await bench.send(id, {}, { original: 'sealed' });
    const before = await bench.queue.run(receipt.id);
    const edit = (runId: string, target: string) =>
      bench.store.editRun(runId, { payload: '1', original: null, before: target });
    const wrong = edit(receipt.id, running.run.id);
    await expect(wrong).rejects.toEqual(refused('invalid_request'));
    expect(await bench.queue.run(receipt.id)).toEqual(before);
    expect(await bench.store.readOriginal(receipt.id)).toBe('sealed');
    await expect(edit(running.run.id, receipt.id)).rejects.toEqual(refused('run_not_queued'));
    await expect(edit('nothing', receipt.id)).rejects.toEqual(refused('not_found'));
  });

  rule('[P4] the original goes with a run that is removed', async (bench) => {
    const id = await bench.session();
    const { receipt } = await bench.send(id, {}, { original: 'sealed' });
    await bench.queue.change({ do: 'remove', run: receipt.id });
    expect(await bench.store.readOriginal(receipt.id)).toBeNull();
  });

  rule(
    '[Q8] a retry is a new run at the head, with the original, and wakes the session',
    async (bench) => {
      const id = await bench.session();
      const { receipt } = await bench.send(id, {}, { original: 'sealed' });
      await bench.queue.node();
      await bench.queue.finish(await bench.queue.claimOne());
      bench.advance(MINUTE);
      await bench.settle();
      expect(await bench.status(id)).toBe('IDLE');
      const again = newId();
      const { found, changes } = await bench.store.retryRun(receipt.id, again);
      expect(changes).toMatchObject([{ from: 'IDLE', to: 'ACTIVE', reason: 'message' }]);
      expect(found).toMatchObject({ unfinishedRuns: 1 });
      expect(await bench.queue.run(again)).toMatchObject({ retryOf: receipt.id, state: 'queued' });
      expect(await bench.store.readOriginal(again)).toBe('sealed');
      expect(await bench.store.readOriginal(receipt.id)).toBe('sealed');
    },
  );

  rule("[P2] a retry may be another person's; the run it repeats is not", async (bench) => {
    const id = await bench.session();
    const { receipt } = await bench.send(id, { payload: { message: 'hello', sender: 'ann' } });
    await bench.queue.node();
    await bench.queue.finish(await bench.queue.claimOne());
    const again = newId();
    await bench.store.retryRun(receipt.id, again, '{"message":"hello","sender":"bob"}');
    expect(await bench.queue.run(again)).toMatchObject({ payload: { sender: 'bob' } });
    expect(await bench.queue.run(receipt.id)).toMatchObject({ payload: { sender: 'ann' } });
  });

  rule(
    '[Q8] what has not ended, is not there, or belongs to an ended session is not retried',
    async (bench) => {
      const id = await bench.session();
      const { receipt } = await bench.send(id);
      const retry = (run: string) => bench.store.retryRun(run, newId());
      await expect(retry(receipt.id)).rejects.toEqual(refused('run_not_finished'));
      await expect(retry('nothing')).rejects.toEqual(refused('not_found'));
      await bench.do(id, { do: 'terminate', reason: 'asked' });
      await expect(retry(receipt.id)).rejects.toEqual(refused('session_ended'));
    },
  );

  rule('[Q21] the runs of a session outlive the purge of others', async (bench) => {
    const id = await bench.session();
    await bench.queue.node();
    const { receipt } = await bench.send(id, {}, { original: 'sealed' });
    await bench.queue.finish(await bench.queue.claimOne());
    const alone = await bench.queue.enqueue();
    await bench.queue.finish(await bench.queue.claimOne());
    bench.advance(1);
    expect(await bench.store.purge({ before: bench.now, limit: 10 })).toEqual({
      runs: 1,
      lanes: 1,
    });
    expect(await bench.store.get(alone.id)).toBeNull();
    expect(await bench.queue.run(receipt.id)).toMatchObject({ state: 'succeeded' });
    expect(await bench.store.readOriginal(receipt.id)).toBe('sealed');
  });

  rule('[Q23] a session that is to be pinned takes the host of its first run', async (bench) => {
    const id = await bench.session('ACTIVE', { pin: true });
    await bench.queue.node('node-1', { host: 'host-1' });
    await bench.queue.node('node-2', { host: 'host-2' });
    await bench.send(id);
    await bench.queue.finish(await bench.queue.claimOne({ nodeId: 'node-2' }));
    expect(await bench.found(id)).toMatchObject({ host: 'host-2', hostAway: false });
    await bench.send(id);
    expect(await bench.queue.claim({ nodeId: 'node-1' })).toEqual([]);
    await bench.store.leave('node-2');
    expect(await bench.found(id)).toMatchObject({ hostAway: true, unfinishedRuns: 1 });
  });

  rule('[Q23] a host with a node that only serves the API is away', async (bench) => {
    const id = await bench.session('PENDING', { pin: true });
    await bench.do(id, { do: 'ready', path: '/w', host: 'host-1' });
    await bench.queue.node('api', { host: 'host-1', roles: ['api'], types: [] });
    expect(await bench.found(id)).toMatchObject({ host: 'host-1', hostAway: true });
    await bench.queue.node('both', { host: 'host-1', roles: ['api', 'worker'] });
    expect(await bench.found(id)).toMatchObject({ hostAway: false });
  });

  rule('[Q23] a session made for a host is prepared and run there alone', async (bench) => {
    const id = await bench.session('PENDING', { pin: true, host: 'host-2' });
    await bench.queue.node('node-1', { host: 'host-1' });
    await bench.queue.node('node-2', { host: 'host-2' });
    const pending = async (host: string) =>
      (await bench.store.listPending(host, 10)).map(({ session }) => session.id);
    expect([await pending('host-1'), await pending('host-2')]).toEqual([[], [id]]);
    await bench.do(id, { do: 'fail', host: 'host-1', error: 'no such directory' });
    expect(await bench.found(id)).toMatchObject({ session: { status: 'PENDING', error: null } });
    await bench.send(id);
    expect(await bench.queue.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await bench.queue.claim({ nodeId: 'node-2' })).toHaveLength(1);
  });

  rule(
    '[Q23] a session is moved to another host, but not while its run executes',
    async (bench) => {
      const id = await bench.session('PENDING', { pin: true });
      await bench.do(id, { do: 'ready', path: '/w', host: 'host-1' });
      await bench.queue.node('node-1', { host: 'host-1' });
      await bench.queue.node('node-2', { host: 'host-2' });
      await bench.send(id);
      await bench.send(id);
      const first = await bench.queue.claimOne({ nodeId: 'node-1' });
      const move = { do: 'move', host: 'host-2', path: '/elsewhere' } as const;
      await expect(bench.do(id, move)).rejects.toEqual(refused('session_busy'));
      expect(await bench.found(id)).toMatchObject({ host: 'host-1' });
      await bench.queue.finish(first);
      await bench.do(id, move);
      expect(await bench.found(id)).toMatchObject({
        host: 'host-2',
        session: { workspacePath: '/elsewhere', status: 'ACTIVE' },
      });
      expect(await bench.queue.claim({ nodeId: 'node-1' })).toEqual([]);
      expect(await bench.queue.claim({ nodeId: 'node-2' })).toHaveLength(1);
      const events = await bench.store.listAfter(id, 0, 100);
      expect(events.filter(({ type }) => type === 'session.moved')).toMatchObject([
        { payload: { from: 'host-1', to: 'host-2' } },
      ]);
      // What the old host still has to say of it is not asked for any more.
      await bench.do(id, { do: 'fail', host: 'host-1', error: 'no room' });
      expect(await bench.found(id)).toMatchObject({ session: { status: 'ACTIVE' } });
    },
  );

  rule(
    '[Q23] a session prepared on a host is pinned there, if it is to be pinned',
    async (bench) => {
      await bench.queue.node('node-1', { host: 'host-1' });
      const ready = { do: 'ready', path: '/w', host: 'host-2' } as const;
      const pinned = await bench.session('PENDING', { pin: true });
      await bench.do(pinned, ready);
      expect(await bench.found(pinned)).toMatchObject({ host: 'host-2', hostAway: true });
      const here = { host: 'host-2', session: { status: 'ACTIVE', workspacePath: '/w' } };
      // Another host may have begun to prepare it, too.
      await bench.do(pinned, { ...ready, host: 'host-3', path: '/other' });
      expect(await bench.found(pinned)).toMatchObject(here);
      await bench.do(pinned, { do: 'fail', host: 'host-3', error: 'no room' });
      expect(await bench.found(pinned)).toMatchObject(here);
      const free = await bench.session('PENDING', { pin: false });
      await bench.do(free, ready);
      expect(await bench.found(free)).toMatchObject({ host: null, hostAway: false });
      await bench.send(pinned);
      expect(await bench.queue.claim({ nodeId: 'node-1' })).toEqual([]);
    },
  );

  rule('[Q15] a session tells until when its run is parked', async (bench) => {
    const id = await bench.session();
    const { fence } = await bench.begin(id);
    expect(await bench.found(id)).toMatchObject({ delayedUntil: null });
    const until = bench.now + 5 * MINUTE;
    const error = { class: 'usage_limit', message: 'come back later' } as const;
    const outcome = { kind: 'parked', until, error } as const;
    await bench.store.write([{ lane: id, fence, end: { outcome, retryDelayMs: 0 } }]);
    expect(await bench.found(id)).toMatchObject({ delayedUntil: until, unfinishedRuns: 1 });
  });
}
