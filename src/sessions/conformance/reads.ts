import { expect } from 'vitest';
import { refused } from '../../queue/conformance/rig.ts';
import type { SessionFilter } from '../session-store.ts';
import type { SessionBench, SessionRule } from './rig.ts';

const listed = async (bench: SessionBench, filter: Partial<SessionFilter>): Promise<string[]> => {
  const page = await bench.store.listSessions({ archived: false, limit: 100, ...filter });
  return page.map(({ session }) => session.id);
};

export function readRules(rule: SessionRule): void {
  rule('[S9] a session is read as it was made', async (bench) => {
    const made = bench.newSession({
      name: 'ログイン修正',
      description: 'a "quoted" 説明',
      tags: ['web', '緊急'],
      labels: ['audit'],
      agent: { kind: 'acp', command: ['agent', '--flag'] },
      agentStanding: { channel: 'cli', through: ['web'] },
      workspace: { provider: 'worktree', repository: '/r', baseBranch: 'main' },
      isolation: 'bwrap',
      templateConfig: { image: 'x', deep: [1, null] },
      idleTimeoutSeconds: 60,
      budgetUsd: 0.1,
      forkPoint: { conversation: 'conv', head: 'message' },
      forkedFrom: '01890000-0000-7000-8000-000000000000',
    });
    const { holdOnFailure, pin: _, host: __, ...record } = made;
    const found = await bench.store.createSession(made);
    expect(found).toMatchObject({ session: record, holdOnFailure, held: false, host: null });
    expect(await bench.found(made.id)).toEqual(found);
    const [created] = await bench.events(made.id);
    expect(created?.payload).toEqual({ name: made.name, forkedFrom: made.forkedFrom });
  });

  rule('[S9] an owner has a name once; another owner may have it too', async (bench) => {
    await bench.create({ name: 'fix', ownerId: 'ann' });
    const again = bench.newSession({ name: 'fix', ownerId: 'ann' });
    await expect(bench.store.createSession(again)).rejects.toEqual(refused('name_taken'));
    expect(await bench.store.getSession(again.id)).toBeNull();
    expect(await bench.store.getLane(again.id)).toBeNull();
    await bench.create({ name: 'fix', ownerId: 'bob' });
  });

  rule('[S9] of many of one name made at once one is made', async (bench) => {
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => bench.create({ name: 'fix' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const failures = made.filter((one) => one.status === 'rejected');
    for (const { reason } of failures) expect(reason).toEqual(refused('name_taken'));
    expect(await listed(bench, {})).toHaveLength(1);
  });

  rule('[S9] a name is changed to a free one only; its own is free', async (bench) => {
    await bench.create({ name: 'taken' });
    const { session } = await bench.create({ name: 'mine' });
    const rename = (name: string) => bench.do(session.id, { do: 'update', changes: { name } });
    await expect(rename('taken')).rejects.toEqual(refused('name_taken'));
    await rename('mine');
    await rename('other');
    expect(await bench.record(session.id)).toMatchObject({ name: 'other' });
    await bench.create({ name: 'mine' });
  });

  rule('[S9] what is given is changed, the rest stays', async (bench) => {
    const { session } = await bench.create({ tags: ['a', 'b'], labels: ['x'], budgetUsd: 5 });
    bench.advance(10);
    await bench.do(session.id, {
      do: 'update',
      changes: { description: 'new', tags: ['b', 'c'], holdOnFailure: false },
    });
    const found = await bench.found(session.id);
    expect(found).toMatchObject({ holdOnFailure: false });
    expect(found.session).toEqual({
      ...session,
      description: 'new',
      tags: ['b', 'c'],
      updatedAt: bench.now,
    });
    await bench.do(session.id, { do: 'update', changes: { budgetUsd: null } });
    expect(await bench.record(session.id)).toMatchObject({ budgetUsd: null, labels: ['x'] });
    expect(await listed(bench, { tag: 'a' })).toEqual([]);
    expect(await listed(bench, { tag: 'c' })).toEqual([session.id]);
    expect(await listed(bench, { label: 'x' })).toEqual([session.id]);
  });

  rule('[H1] lists are newest first, page by page', async (bench) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await bench.create()).session.id);
    const first = await listed(bench, { limit: 2 });
    expect(first).toEqual(ids.slice(0, 2));
    const last = first.at(-1) as string;
    expect(await listed(bench, { limit: 10, after: { id: last, lastActiveAt: 0 } })).toEqual(
      ids.slice(2),
    );
  });

  rule(
    '[H1] pages by creation lose and repeat nothing while sessions become active',
    async (bench) => {
      const ids: string[] = [];
      for (let i = 0; i < 6; i++) ids.unshift(await bench.session());
      const seen: string[] = [];
      for (let page = await listed(bench, { limit: 2 }); page.length > 0; ) {
        seen.push(...page);
        bench.advance(10);
        // One that was listed, and one that was not yet.
        await bench.send(seen[0]!);
        await bench.send(ids.at(-1)!);
        page = await listed(bench, { limit: 2, after: { id: page.at(-1)!, lastActiveAt: 0 } });
      }
      expect(seen).toEqual(ids);
    },
  );

  rule('[C2] by activity the last active session is first, page by page', async (bench) => {
    const [a, b, c, d] = [
      await bench.session(),
      await bench.session(),
      await bench.session('ACTIVE', { ownerId: 'bob' }),
      await bench.session(),
    ];
    const order = 'activity';
    // All were made in the same millisecond: then the newest first.
    expect(await listed(bench, { order })).toEqual([d, c, b, a]);
    bench.advance(10);
    await bench.send(b);
    bench.advance(10);
    await bench.send(a);
    expect(await listed(bench, { order })).toEqual([a, b, d, c]);
    expect(await listed(bench, { order, ownerId: 'ann' })).toEqual([a, b, d]);
    expect(await listed(bench, { order, visibleTo: 'ann' })).toEqual([a, b, d]);
    const pages: string[][] = [];
    let after: SessionFilter['after'];
    for (;;) {
      const page = await bench.store.listSessions({
        archived: false,
        limit: 2,
        order,
        ...(after === undefined ? {} : { after }),
      });
      if (page.length === 0) break;
      pages.push(page.map(({ session }) => session.id));
      const last = page.at(-1)!.session;
      after = { id: last.id, lastActiveAt: last.lastActiveAt };
      bench.advance(10);
      // It is at the front now, and not repeated.
      await bench.send(a);
    }
    expect(pages).toEqual([
      [a, b],
      [d, c],
    ]);
  });

  rule('[H1] lists are narrowed by owner, status, tag, label and archive', async (bench) => {
    const one = await bench.session('ACTIVE', { tags: ['web', 'api'], labels: ['audit'] });
    const two = await bench.session('PENDING', { tags: ['web'] });
    const bobs = await bench.session('PENDING', { ownerId: 'bob', labels: ['web'] });
    const away = await bench.session('COMPLETED', { tags: ['web'] });
    await bench.do(away, { do: 'archive' });
    expect(await listed(bench, {})).toEqual([bobs, two, one]);
    expect(await listed(bench, { ownerId: 'ann' })).toEqual([two, one]);
    expect(await listed(bench, { status: 'PENDING' })).toEqual([bobs, two]);
    expect(await listed(bench, { tag: 'web' })).toEqual([two, one]);
    expect(await listed(bench, { label: 'web' })).toEqual([bobs]);
    expect(await listed(bench, { tag: 'web', label: 'audit' })).toEqual([one]);
    expect(await listed(bench, { archived: true })).toEqual([away]);
    expect(await listed(bench, { tag: 'web', archived: true, ownerId: 'bob' })).toEqual([]);
  });

  rule(
    '[H1] a part of a name finds it, letter case aside; no sign has a meaning',
    async (bench) => {
      const { session: fix } = await bench.create({ name: 'Fix_Login 修正' });
      const { session: other } = await bench.create({ name: 'fix-login' });
      expect(await listed(bench, { name: 'LOGIN' })).toEqual([other.id, fix.id]);
      expect(await listed(bench, { name: 'x_l' })).toEqual([fix.id]);
      expect(await listed(bench, { name: '修' })).toEqual([fix.id]);
      for (const name of ['%', '!', "'", '\\', '\0'])
        expect(await listed(bench, { name })).toEqual([]);
    },
  );

  rule('[S9] a search ignores letter case in every script', async (bench) => {
    const { session } = await bench.create({ name: 'ÜBERPRÜFUNG Проверка ΛΌΓΟΣ #12' });
    for (const name of ['überprüf', 'Überprüf', 'ПРОВЕРКА', 'проверка', 'λόγος', '#12']) {
      expect(await listed(bench, { name }), name).toEqual([session.id]);
    }
    await bench.do(session.id, { do: 'update', changes: { name: 'ÉCLAIR' } });
    expect(await listed(bench, { name: 'éclair' })).toEqual([session.id]);
    expect(await listed(bench, { name: 'überprüf' })).toEqual([]);
  });

  rule('[S1] sessions are counted by status', async (bench) => {
    await bench.session('ACTIVE');
    await bench.session('ACTIVE');
    await bench.session('ERROR');
    expect(await bench.store.countSessions()).toEqual({
      PENDING: 0,
      ACTIVE: 2,
      IDLE: 0,
      ERROR: 1,
      COMPLETED: 0,
      TERMINATED: 0,
    });
  });

  rule('[O4] sessions that are prepared for long are counted, messages or not', async (bench) => {
    await bench.session('ACTIVE');
    const first = await bench.session('PENDING');
    const again = await bench.session('ERROR');
    bench.advance(60_000);
    await bench.do(again, { do: 'retry' });
    await bench.send(first);
    const pending = (ageMs: number) => bench.store.countPending(ageMs);
    expect([await pending(0), await pending(60_000), await pending(60_001)]).toEqual([2, 1, 0]);
  });

  rule('[Q23] what is to be prepared is found by hosts that may, oldest first', async (bench) => {
    const free = await bench.session('PENDING');
    const pinned = await bench.session('PENDING', { pin: true });
    await bench.do(pinned, { do: 'ready', path: '/w', host: 'host-1' });
    await bench.do(pinned, { do: 'fail', error: 'gone' });
    await bench.do(pinned, { do: 'retry' });
    await bench.session('ACTIVE');
    const pending = async (host: string, limit = 10): Promise<string[]> =>
      (await bench.store.listPending(host, limit)).map(({ session }) => session.id);
    expect(await pending('host-1')).toEqual([free, pinned]);
    expect(await pending('host-1', 1)).toEqual([free]);
    expect(await pending('host-2')).toEqual([free]);
  });

  rule('[X5] a setting is stored once, and everybody is told the same', async (bench) => {
    expect(await bench.store.readSetting('check')).toBeNull();
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((value) => bench.store.putSettingOnce('check', value)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await bench.store.putSettingOnce('check', 'd')).toBe(answers[0]);
    expect(await bench.store.readSetting('check')).toBe(answers[0]);
    expect(await bench.store.putSettingOnce('other', 'e')).toBe('e');
  });
}
