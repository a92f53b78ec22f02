import { expect } from 'vitest';
import { refused } from '../../queue/conformance/rig.ts';
import type { SessionFilter } from '../session-store.ts';
import type { SessionRule, SessionStoreRig } from './rig.ts';

const listed = async (rig: SessionStoreRig, filter: Partial<SessionFilter>): Promise<string[]> => {
  const page = await rig.store.listSessions({ archived: false, limit: 100, ...filter });
  return page.map(({ session }) => session.id);
};

export function readRules(rule: SessionRule): void {
  rule('[S9] a session is read as it was created', async (rig) => {
    const made = rig.newSession({
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
    const current = await rig.store.createSession(made);
    expect(current).toMatchObject({ session: record, holdOnFailure, held: false, host: null });
    expect(await rig.current(made.id)).toEqual(current);
    const [created] = await rig.events(made.id);
    expect(created?.payload).toEqual({ name: made.name, forkedFrom: made.forkedFrom });
  });

  rule('[S9] a name is unique per owner; another owner may use it too', async (rig) => {
    await rig.create({ name: 'fix', ownerId: 'ann' });
    const again = rig.newSession({ name: 'fix', ownerId: 'ann' });
    await expect(rig.store.createSession(again)).rejects.toEqual(refused('name_taken'));
    expect(await rig.store.getSession(again.id)).toBeNull();
    expect(await rig.store.getLane(again.id)).toBeNull();
    await rig.create({ name: 'fix', ownerId: 'bob' });
  });

  rule('[S9] of many created with one name at once, one succeeds', async (rig) => {
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => rig.create({ name: 'fix' })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const failures = made.filter((one) => one.status === 'rejected');
    for (const { reason } of failures) expect(reason).toEqual(refused('name_taken'));
    expect(await listed(rig, {})).toHaveLength(1);
  });

  rule('[S9] a name is changed only to a free one; its own is free', async (rig) => {
    await rig.create({ name: 'taken' });
    const { session } = await rig.create({ name: 'mine' });
    const rename = (name: string) => rig.do(session.id, { do: 'update', changes: { name } });
    await expect(rename('taken')).rejects.toEqual(refused('name_taken'));
    await rename('mine');
    await rename('other');
    expect(await rig.record(session.id)).toMatchObject({ name: 'other' });
    await rig.create({ name: 'mine' });
  });

  rule('[S9] an update changes only the given fields', async (rig) => {
    const { session } = await rig.create({ tags: ['a', 'b'], labels: ['x'], budgetUsd: 5 });
    rig.advance(10);
    await rig.do(session.id, {
      do: 'update',
      changes: { description: 'new', tags: ['b', 'c'], holdOnFailure: false },
    });
    const current = await rig.current(session.id);
    expect(current).toMatchObject({ holdOnFailure: false });
    expect(current.session).toEqual({
      ...session,
      description: 'new',
      tags: ['b', 'c'],
      updatedAt: rig.now,
    });
    await rig.do(session.id, { do: 'update', changes: { budgetUsd: null } });
    expect(await rig.record(session.id)).toMatchObject({ budgetUsd: null, labels: ['x'] });
    expect(await listed(rig, { tag: 'a' })).toEqual([]);
    expect(await listed(rig, { tag: 'c' })).toEqual([session.id]);
    expect(await listed(rig, { label: 'x' })).toEqual([session.id]);
  });

  rule('[H1] lists are newest first, page by page', async (rig) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await rig.create()).session.id);
    const first = await listed(rig, { limit: 2 });
    expect(first).toEqual(ids.slice(0, 2));
    const last = first.at(-1) as string;
    expect(await listed(rig, { limit: 10, after: { id: last, lastActiveAt: 0 } })).toEqual(
      ids.slice(2),
    );
  });

  rule(
    '[H1] pages by creation skip and repeat nothing while sessions become active',
    async (rig) => {
      const ids: string[] = [];
      for (let i = 0; i < 6; i++) ids.unshift(await rig.session());
      const seen: string[] = [];
      for (let page = await listed(rig, { limit: 2 }); page.length > 0; ) {
        seen.push(...page);
        rig.advance(10);
        // One that was already listed, and one that was not.
        await rig.send(seen[0]!);
        await rig.send(ids.at(-1)!);
        page = await listed(rig, { limit: 2, after: { id: page.at(-1)!, lastActiveAt: 0 } });
      }
      expect(seen).toEqual(ids);
    },
  );

  rule('[C2] by activity, the most recently active session is first, page by page', async (rig) => {
    const [a, b, c, d] = [
      await rig.session(),
      await rig.session(),
      await rig.session('ACTIVE', { ownerId: 'bob' }),
      await rig.session(),
    ];
    const order = 'activity';
    // All were created in the same millisecond, so the newest is first.
    expect(await listed(rig, { order })).toEqual([d, c, b, a]);
    rig.advance(10);
    await rig.send(b);
    rig.advance(10);
    await rig.send(a);
    expect(await listed(rig, { order })).toEqual([a, b, d, c]);
    expect(await listed(rig, { order, ownerId: 'ann' })).toEqual([a, b, d]);
    expect(await listed(rig, { order, visibleTo: 'ann' })).toEqual([a, b, d]);
    const pages: string[][] = [];
    let after: SessionFilter['after'];
    for (;;) {
      const page = await rig.store.listSessions({
        archived: false,
        limit: 2,
        order,
        ...(after === undefined ? {} : { after }),
      });
      if (page.length === 0) break;
      pages.push(page.map(({ session }) => session.id));
      const last = page.at(-1)!.session;
      after = { id: last.id, lastActiveAt: last.lastActiveAt };
      rig.advance(10);
      // It has moved to the front, and is not repeated.
      await rig.send(a);
    }
    expect(pages).toEqual([
      [a, b],
      [d, c],
    ]);
  });

  rule('[H1] lists are filtered by owner, status, tag, label and archive', async (rig) => {
    const one = await rig.session('ACTIVE', { tags: ['web', 'api'], labels: ['audit'] });
    const two = await rig.session('PENDING', { tags: ['web'] });
    const bobs = await rig.session('PENDING', { ownerId: 'bob', labels: ['web'] });
    const away = await rig.session('COMPLETED', { tags: ['web'] });
    await rig.do(away, { do: 'archive' });
    expect(await listed(rig, {})).toEqual([bobs, two, one]);
    expect(await listed(rig, { ownerId: 'ann' })).toEqual([two, one]);
    expect(await listed(rig, { status: 'PENDING' })).toEqual([bobs, two]);
    expect(await listed(rig, { tag: 'web' })).toEqual([two, one]);
    expect(await listed(rig, { label: 'web' })).toEqual([bobs]);
    expect(await listed(rig, { tag: 'web', label: 'audit' })).toEqual([one]);
    expect(await listed(rig, { archived: true })).toEqual([away]);
    expect(await listed(rig, { tag: 'web', archived: true, ownerId: 'bob' })).toEqual([]);
  });

  rule('[H1] a search matches part of a name, ignores case, and has no wildcards', async (rig) => {
    const { session: fix } = await rig.create({ name: 'Fix_Login 修正' });
    const { session: other } = await rig.create({ name: 'fix-login' });
    expect(await listed(rig, { name: 'LOGIN' })).toEqual([other.id, fix.id]);
    expect(await listed(rig, { name: 'x_l' })).toEqual([fix.id]);
    expect(await listed(rig, { name: '修' })).toEqual([fix.id]);
    for (const name of ['%', '!', "'", '\\', '\0']) expect(await listed(rig, { name })).toEqual([]);
  });

  rule('[S9] a search ignores case in every script', async (rig) => {
    const { session } = await rig.create({ name: 'ÜBERPRÜFUNG Проверка ΛΌΓΟΣ #12' });
    for (const name of ['überprüf', 'Überprüf', 'ПРОВЕРКА', 'проверка', 'λόγος', '#12']) {
      expect(await listed(rig, { name }), name).toEqual([session.id]);
    }
    await rig.do(session.id, { do: 'update', changes: { name: 'ÉCLAIR' } });
    expect(await listed(rig, { name: 'éclair' })).toEqual([session.id]);
    expect(await listed(rig, { name: 'überprüf' })).toEqual([]);
  });

  rule('[S1] sessions are counted by status', async (rig) => {
    await rig.session('ACTIVE');
    await rig.session('ACTIVE');
    await rig.session('ERROR');
    expect(await rig.store.countSessions()).toEqual({
      PENDING: 0,
      ACTIVE: 2,
      IDLE: 0,
      ERROR: 1,
      COMPLETED: 0,
      TERMINATED: 0,
    });
  });

  rule('[O4] sessions PENDING for long are counted, with or without messages', async (rig) => {
    await rig.session('ACTIVE');
    const first = await rig.session('PENDING');
    const again = await rig.session('ERROR');
    rig.advance(60_000);
    await rig.do(again, { do: 'retry' });
    await rig.send(first);
    const pending = (ageMs: number) => rig.store.countPending(ageMs);
    expect([await pending(0), await pending(60_000), await pending(60_001)]).toEqual([2, 1, 0]);
  });

  rule(
    '[Q23] pending sessions are listed for hosts that may prepare them, oldest first',
    async (rig) => {
      const free = await rig.session('PENDING');
      const pinned = await rig.session('PENDING', { pin: true });
      await rig.do(pinned, { do: 'ready', path: '/w', host: 'host-1' });
      await rig.do(pinned, { do: 'fail', error: 'gone' });
      await rig.do(pinned, { do: 'retry' });
      await rig.session('ACTIVE');
      const pending = async (host: string, limit = 10): Promise<string[]> =>
        (await rig.store.listPending(host, limit)).map(({ session }) => session.id);
      expect(await pending('host-1')).toEqual([free, pinned]);
      expect(await pending('host-1', 1)).toEqual([free]);
      expect(await pending('host-2')).toEqual([free]);
    },
  );

  rule('[X5] a setting is stored once, and everyone reads the same value', async (rig) => {
    expect(await rig.store.readSetting('check')).toBeNull();
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((value) => rig.store.putSettingOnce('check', value)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await rig.store.putSettingOnce('check', 'd')).toBe(answers[0]);
    expect(await rig.store.readSetting('check')).toBe(answers[0]);
    expect(await rig.store.putSettingOnce('other', 'e')).toBe('e');
  });
}
