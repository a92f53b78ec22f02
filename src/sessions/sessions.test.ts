import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, park } from '../../test/support/asking.ts';
import { CapturedLog } from '../../test/support/captured-log.ts';
import { authorised } from '../../test/support/principals.ts';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../test/support/service-rig.ts';
import { until } from '../../test/support/until.ts';
import { MessageRequest } from '../contract/message.ts';
import { SECRETS } from '../policy/masking/corpus.ts';

const github = SECRETS[0]?.secret as string;
const stranger = authorised({ userId: 'somebody', role: 'operator', channel: 'api' });

test('[A1] a command runs in a fresh directory; its output, exit code and end are stored', async () => {
  const rig = await serviceRig();
  const session = await rig.session('fresh');
  const run = await rig.finished(await rig.send(session.id, 'pwd; echo oops >&2'));
  const path = join(rig.dataDir, 'workspaces', session.id);
  expect(run).toMatchObject({ state: 'succeeded', status: 'completed', attempts: 1 });
  expect(run.result).toMatchObject({ exitCode: 0 });
  const now = await rig.services.sessions.get(ADMIN, session.id);
  expect(now).toMatchObject({ status: 'ACTIVE', workspace: { path }, unfinishedRuns: 0 });
  expect(now.lastResponse).toContain(path);
  const [invocation] = await rig.services.runs.invocations(ADMIN, run.id);
  expect(invocation).toMatchObject({ exitCode: 0, attempt: 1, agent: 'shell', stderr: 'oops\n' });
});

test('[P1] a fresh directory is not part of a repository around the data directory', async () => {
  const home = temporaryDirectory();
  execFileSync('git', ['init', '-q'], { cwd: home });
  const rig = await serviceRig({ dataDir: join(home, '.baton') });
  const { id } = await rig.session('in a repository');
  const git = 'git rev-parse --show-toplevel 2>/dev/null || git config safe.bareRepository';
  const run = await rig.finished(await rig.send(id, git));
  expect(run.result).toMatchObject({ output: 'explicit\n' });
});

test('[Q12] [Q15] after a failure the rest is held, and continues when resumed', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('held');
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const failing = await rig.send(id, 'exit 3');
  const next = await rig.send(id, 'echo next');
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(failing)).toMatchObject({
    state: 'failed',
    attempts: 1,
    error: { class: 'command_failed' },
  });
  expect(await rig.services.sessions.get(ADMIN, id)).toMatchObject({ held: true });
  expect(await rig.services.runs.get(ADMIN, next)).toMatchObject({ state: 'queued' });
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(next)).toMatchObject({ state: 'succeeded' });
});

test('[Q11] a busy session: reject, steer and interrupt', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('busy');
  const long = await rig.send(id, 'sleep 60');
  await until(async () => (await rig.services.runs.get(ADMIN, long)).state === 'running');
  await expect(rig.send(id, 'echo', { onBusy: 'reject' })).rejects.toMatchObject({
    code: 'session_busy',
  });
  await expect(rig.send(id, 'echo', { onBusy: 'steer' })).rejects.toMatchObject({
    code: 'cannot_steer',
  });
  const queued = await rig.send(id, 'echo queued');
  const urgent = await rig.send(id, 'echo urgent', { onBusy: 'interrupt' });
  expect(await rig.finished(long)).toMatchObject({ state: 'cancelled' });
  const [first, second] = [await rig.finished(urgent), await rig.finished(queued)];
  expect([first.state, second.state]).toEqual(['succeeded', 'succeeded']);
  expect(first.finishedAt && second.finishedAt && first.finishedAt <= second.finishedAt).toBe(true);
});

test('[Q10] an idempotency key returns the same run; with another body it is refused', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('once');
  const send = (message: string) =>
    rig.services.messages.send(ADMIN, id, MessageRequest.parse({ message }), 'key');
  const first = await send(`echo ${github}`);
  expect((await send(`echo ${github}`)).runId).toBe(first.runId);
  // Another secret is another body, although both are stored as the same mask.
  const other = `${github.slice(0, -1)}${github.endsWith('x') ? 'y' : 'x'}`;
  await expect(send(`echo ${other}`)).rejects.toMatchObject({ code: 'idempotency_conflict' });
});

test('[P4] an edited message is masked again, and one with a mask is refused', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('edited');
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const file = join(temporaryDirectory(), 'out');
  const run = await rig.send(id, `printf %s ${github} > ${file}`);
  const { message } = await rig.services.runs.get(ADMIN, run);
  await expect(
    rig.services.runs.edit(ADMIN, run, { message: `${message} again` }),
  ).rejects.toMatchObject({ code: 'contains_mask' });
  const edited = await rig.services.runs.edit(ADMIN, run, { message: `printf %s plain > ${file}` });
  expect(edited.message).toBe(`printf %s plain > ${file}`);
  expect(await rig.store.readOriginal(run)).toBeNull();
});

test('[P4] a mask in a message to a shell hides nothing that runs', async () => {
  const rig = await serviceRig({ executes: false });
  const { id } = await rig.session('seen');
  const hiding =
    'mysql --password "x$(touch P)" # -----BEGIN PRIVATE KEY-----\ntouch HIDDEN; false';
  const shown = hiding.replace('"x$', '"***MASKED***$');
  const run = await rig.send(id, hiding);
  expect(await rig.services.runs.get(ADMIN, run)).toMatchObject({ message: shown });
  const edited = await rig.services.runs.edit(ADMIN, run, { message: `${hiding} # again` });
  expect(edited.message).toBe(`${shown} # again`);
});

test('[Q12] queued runs are listed in the order they will start, also after a move', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('ordered');
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const [a, b, c] = [
    await rig.send(id, 'echo a'),
    await rig.send(id, 'echo b'),
    await rig.send(id, 'echo c'),
  ] as const;
  await rig.services.runs.edit(ADMIN, c, { before: a, message: 'echo C' });
  const order = async (limit: number, cursor?: string) =>
    rig.services.runs.list(ADMIN, { sessionId: id, state: 'queued', limit, cursor });
  const first = await order(2);
  expect(first.items.map((run) => run.id)).toEqual([c, a]);
  const rest = await order(2, first.nextCursor as string);
  expect(rest).toMatchObject({ items: [{ id: b }], nextCursor: null });
  await rig.services.runs.remove(ADMIN, a);
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(b)).toMatchObject({ state: 'succeeded' });
  expect(await rig.services.runs.get(ADMIN, c)).toMatchObject({
    state: 'succeeded',
    message: 'echo C',
  });
});

test('[S12] [Q9] deleting a session stops its run and leaves nothing', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('doomed');
  const long = await rig.send(id, 'sleep 60');
  const queued = await rig.send(id, 'echo never');
  await until(async () => (await rig.services.runs.get(ADMIN, long)).state === 'running');
  const path = join(rig.dataDir, 'workspaces', id);
  await until(() => existsSync(path));
  await rig.services.sessions.remove(ADMIN, id);
  for (const run of [long, queued]) {
    await expect(rig.services.runs.get(ADMIN, run)).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(rig.services.sessions.get(ADMIN, id)).rejects.toMatchObject({ code: 'not_found' });
  expect(existsSync(path)).toBe(false);
  expect(await rig.queue.events(id)).toEqual([]);
});

test('[S12] [A7] deleting does not wait for an answer: a parked run ends with its question', async () => {
  const rig = await serviceRig({ executes: false });
  const { id } = await rig.session('asks');
  const asking = await ask(rig.store, id);
  await park(rig.store, asking);
  await rig.services.sessions.remove(ADMIN, id);
  await expect(rig.services.sessions.get(ADMIN, id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await rig.store.getApproval(asking.asked.id)).toBeNull();
});

test('[S12] a protected session is not deleted, and its run continues', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('protected', { labels: ['audit'] });
  const run = await rig.send(id, 'echo on');
  await expect(rig.services.sessions.remove(ADMIN, id)).rejects.toMatchObject({
    code: 'session_protected',
  });
  expect(await rig.finished(run)).toMatchObject({ state: 'succeeded' });
});

test('[S12] a session reopened and run during its deletion is kept, with its workspace', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('reopened');
  await rig.finished(await rig.send(id, 'echo kept > made'));
  const { path } = (await rig.services.sessions.get(ADMIN, id)).workspace;
  const gate = join(temporaryDirectory(), 'gate');
  let running: string | null = null;
  // Between the two steps of the deletion, after it has seen that nothing runs.
  const { getSession } = rig.store;
  Object.assign(rig.store, {
    getSession: async (asked: string) => {
      const current = await getSession(asked);
      if (current?.session.status === 'TERMINATED' && running === null) {
        running = '';
        await rig.services.sessions.act(ADMIN, id, 'reopen');
        const wait = `touch ${gate}.begun; until [ -e ${gate} ]; do sleep 0.05; done`;
        running = await rig.send(id, wait);
        await until(() => existsSync(`${gate}.begun`));
      }
      return current;
    },
  });
  await expect(rig.services.sessions.remove(ADMIN, id)).rejects.toMatchObject({
    code: 'session_busy',
  });
  expect(await rig.services.sessions.get(ADMIN, id)).toMatchObject({ id, status: 'ACTIVE' });
  expect(existsSync(join(path!, 'made'))).toBe(true);
  writeFileSync(gate, '');
  await rig.finished(running!);
});

test('[S12] an existing directory survives the deletion of its session', async () => {
  const rig = await serviceRig();
  const path = temporaryDirectory();
  writeFileSync(join(path, 'precious'), '');
  const { id } = await rig.session('guest', { workspace: { provider: 'directory', path } });
  await rig.finished(await rig.send(id, 'echo hi > made'));
  await rig.services.sessions.remove(ADMIN, id);
  expect(existsSync(join(path, 'precious'))).toBe(true);
  expect(existsSync(join(path, 'made'))).toBe(true);
});

test("[S1] [R075] every change of status is one line in the server's log and one in the session's", async () => {
  const log = new CapturedLog();
  const rig = await serviceRig({ log });
  const path = join(temporaryDirectory(), 'missing');
  const { id } = await rig.session('logged', { workspace: { provider: 'directory', path } });
  const is = (status: string) =>
    until(async () => (await rig.services.sessions.get(ADMIN, id)).status === status);
  await is('ERROR');
  mkdirSync(path);
  await rig.services.sessions.act(ADMIN, id, 'retry');
  await is('ACTIVE');
  await rig.services.sessions.act(ADMIN, id, 'complete');
  await rig.services.sessions.act(ADMIN, id, 'reopen');
  await is('ACTIVE');
  await rig.services.sessions.act(ADMIN, id, 'terminate');
  const events = await rig.store.listAfter(id, 0, 100);
  const moves = events.flatMap(({ type, payload }) => {
    if (type !== 'session.status') return [];
    const { from, to, reason } = payload as Record<'from' | 'to' | 'reason', string>;
    return [{ from, to, reason }];
  });
  expect(moves.map(({ from, to, reason }) => `${from} ${to} ${reason}`)).toEqual([
    'PENDING ERROR failed',
    'ERROR PENDING retried',
    'PENDING ACTIVE ready',
    'ACTIVE COMPLETED asked',
    'COMPLETED PENDING reopened',
    'PENDING ACTIVE ready',
    'ACTIVE TERMINATED asked',
  ]);
  // What the provisioner logs may come a moment after the change can be read.
  await until(() => log.of('Session status changed').length === moves.length);
  expect(log.of('Session status changed')).toEqual(
    moves.map((move) => ({
      sessionId: id,
      ...move,
      level: 'info',
      message: 'Session status changed',
    })),
  );
});

test('[S1] a workspace that cannot be created leads to an ERROR with its reason; retry continues', async () => {
  const rig = await serviceRig();
  const path = join(temporaryDirectory(), 'missing');
  const { id } = await rig.session('missing', { workspace: { provider: 'directory', path } });
  await until(async () => (await rig.services.sessions.get(ADMIN, id)).status === 'ERROR');
  expect((await rig.services.sessions.get(ADMIN, id)).error).toContain(path);
  mkdirSync(path);
  await rig.services.sessions.act(ADMIN, id, 'retry');
  expect(await rig.finished(await rig.send(id, 'pwd'))).toMatchObject({ state: 'succeeded' });
});

test('[S5] completed and terminated sessions accept no message until they are reopened', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('ended');
  await rig.finished(await rig.send(id, 'echo one'));
  for (const action of ['complete', 'terminate'] as const) {
    await rig.services.sessions.act(ADMIN, id, action);
    await expect(rig.send(id, 'echo no')).rejects.toMatchObject({ code: 'session_ended' });
    await rig.services.sessions.act(ADMIN, id, 'reopen');
    expect(await rig.finished(await rig.send(id, 'echo yes'))).toMatchObject({
      state: 'succeeded',
    });
  }
});

test('[S10] a fork is a new session of the same kind', async () => {
  const rig = await serviceRig();
  const session = await rig.session('origin', { tags: ['web'], labels: ['audit'] });
  const fork = await rig.services.sessions.fork(ADMIN, session.id, { name: 'branch' });
  expect(fork).toMatchObject({
    forkedFrom: session.id,
    tags: ['web'],
    labels: [],
    status: 'PENDING',
  });
  expect(fork.id).not.toBe(session.id);
});

test('[P1] what the agent of a fork starts is judged by the channels of the person who forked', async () => {
  const rig = await serviceRig({ executes: false });
  const { id } = await rig.session('origin');
  const by = authorised({ ...ADMIN, channel: 'cli', through: ['line'] });
  const fork = await rig.services.sessions.fork(by, id, { name: 'branch' });
  const standing = async (of: string) => (await rig.store.getSession(of))?.session.agentStanding;
  expect(await standing(fork.id)).toEqual({ channel: 'cli', through: ['line'] });
  expect(await standing(id)).toEqual({ channel: 'api' });
});

test("[X3] another user's session is not found", async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('mine');
  const run = await rig.send(id, 'echo mine');
  const { services } = rig;
  const nothing = { code: 'not_found' };
  await expect(services.sessions.get(stranger, id)).rejects.toMatchObject(nothing);
  await expect(services.runs.get(stranger, run)).rejects.toMatchObject(nothing);
  await expect(services.sessions.act(stranger, id, 'terminate')).rejects.toMatchObject(nothing);
  await expect(services.logs.ofSession(stranger, id)).rejects.toMatchObject(nothing);
  await expect(services.logs.ofRun(stranger, run)).rejects.toMatchObject(nothing);
  expect(await services.logs.canSee(stranger, id)).toBe(false);
  expect(await services.logs.canSee(ADMIN, id)).toBe(true);
  expect(await services.sessions.list(stranger, {})).toEqual({ items: [], nextCursor: null });
  expect(await services.runs.list(stranger, {})).toEqual({ items: [], nextCursor: null });
});

test('[S3] [E9] [R070] [R085] a connection is counted, emitted as an event, and hinted', async () => {
  const rig = await serviceRig();
  const { id } = await rig.session('watched');
  const hints: string[] = [];
  const stop = new AbortController();
  const hinting = (async () => {
    for await (const hint of rig.services.logs.hints(ADMIN, stop.signal)) {
      if ('sessionId' in hint) hints.push(hint.sessionId);
    }
  })();
  const connection = await rig.services.logs.connect(ADMIN, id, 'sse');
  await until(async () => (await rig.services.sessions.get(ADMIN, id)).activeConnections === 1);
  await until(() => hints.includes(id));
  connection.close();
  await until(async () => (await rig.services.sessions.get(ADMIN, id)).activeConnections === 0);
  const emitted = async () =>
    (await rig.queue.events(id)).filter(({ type }) => type === 'session.connections');
  await until(async () => (await emitted()).length === 2);
  expect((await emitted()).map(({ payload }) => payload)).toEqual([
    { activeConnections: 1 },
    { activeConnections: 0 },
  ]);
  stop.abort();
  await hinting;
});

test('[S1] queued runs continue when the workspace is back, and the session leaves ERROR', async () => {
  const rig = await serviceRig();
  const path = join(temporaryDirectory(), 'comes and goes');
  mkdirSync(path);
  const { id } = await rig.session('back again', { workspace: { provider: 'directory', path } });
  await rig.finished(await rig.send(id, 'echo one'));
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const failing = await rig.send(id, 'echo two');
  const later = await rig.send(id, 'echo three');
  rmSync(path, { recursive: true });
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(failing)).toMatchObject({ error: { class: 'agent_unavailable' } });
  expect(await rig.services.sessions.get(ADMIN, id)).toMatchObject({ status: 'ERROR', held: true });
  mkdirSync(path);
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(later)).toMatchObject({ state: 'succeeded' });
  expect(await rig.services.sessions.get(ADMIN, id)).toMatchObject({
    status: 'ACTIVE',
    error: null,
  });
});
