import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MessageRequest } from '../../src/contract/message.ts';
import type { Session } from '../../src/contract/session.ts';
import { scripted } from '../model-server/script.ts';
import { startModelServer } from '../model-server/server.ts';
import { root, temporaryDirectory } from '../support/processes.ts';
import { ADMIN, serviceRig } from '../support/service-rig.ts';
import { until } from '../support/until.ts';
import { claudeRig } from './claude-rig.ts';
import { asked, claudeServerRig, ended } from './claude-session-rig.ts';

vi.setConfig({ testTimeout: 180_000 });

const claudePath = join(
  root,
  `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
);
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const PATIENT = { ms: 90_000, every: 20 };

async function claudeService() {
  const model = await startModelServer();
  onTestFinished(() => model.stop());
  const home = temporaryDirectory();
  for (const name of ['config', 'tmp']) mkdirSync(join(home, name));
  const rig = await serviceRig({
    claudePath,
    environment: {
      ...model.environment,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, 'config'),
      TMPDIR: join(home, 'tmp'),
      CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
    },
  });
  const { id } = await rig.session('steered', { agent: { kind: 'claude' } });
  return { ...rig, model, id };
}

test('[Q11] a message to Claude Code at work reaches it unchanged', async () => {
  const { services, store, model, id, ...rig } = await claudeService();
  const run = await rig.send(id, scripted([{ text: 'one', hold: 'text' }, { text: 'two' }]));
  await model.arrived('text');
  const body = MessageRequest.parse({ message: `also ${TOKEN}`, onBusy: 'steer' });
  for (let i = 0; i < 2; i++) {
    expect(await services.messages.send(ADMIN, id, body, 'key')).toEqual({
      runId: run,
      sessionId: id,
      status: 'steered',
      position: 0,
    });
  }
  await until(async () => (await store.listSteers([run]))[0]?.state === 'given', PATIENT);
  model.release('text');
  await until(async () => (await services.runs.get(ADMIN, run)).finishedAt !== null, PATIENT);
  expect(await services.runs.get(ADMIN, run)).toMatchObject({ state: 'succeeded' });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(TOKEN);
  const events = await store.listAfter(id, 0, 1000);
  expect(events.filter(({ type }) => type === 'run.steered')).toHaveLength(1);
  expect(JSON.stringify(events)).not.toContain(TOKEN);
  expect(await store.list({ lane: id, limit: 10 })).toHaveLength(1);
  const lines = await store.listAudit({ limit: 100 });
  expect(lines.filter(({ action }) => action === 'message.send')).toHaveLength(2);
});

test('[H8] [Q11] the routes of the session scheduler report that a message was given to the agent at work', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server);
  const steps = scripted([{ text: 'one', hold: 'text' }, { text: 'two' }]);
  const run = await server.send(session.id, steps);
  await claude.model.arrived('text');
  const path = `/sessions/${session.id}/messages`;
  const sent = await server.call('POST', path, { prompt: 'also', onBusy: 'steer' });
  expect(sent).toEqual({ job_id: run, session_id: session.id, status: 'steered', position: 0 });
  claude.model.release('text');
  expect(await ended(server, run)).toMatchObject({ state: 'succeeded' });
});

test('[Q11] steering is refused without a running agent, and with options that only a run can have', async () => {
  const { services, id } = await claudeService();
  const send = (more: object) =>
    services.messages.send(
      ADMIN,
      id,
      MessageRequest.parse({ message: 'x', onBusy: 'steer', ...more }),
      null,
    );
  await expect(send({})).rejects.toMatchObject({ code: 'cannot_steer' });
  await expect(send({ allowedTools: ['Read'] })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'allowedTools' },
  });
});

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'a test' } });

/** A command that reports its start and waits until it is released. */
const waiting = (cwd: string) => {
  execFileSync('mkfifo', [join(cwd, 'gate')]);
  return {
    call: bash('touch running; read x < gate; echo $x'),
    running: () => until(() => existsSync(join(cwd, 'running')), { ms: 60_000 }),
    release: () => writeFileSync(join(cwd, 'gate'), 'released\n'),
  };
};

describe('[Q11] steering Claude Code', () => {
  test('a message during a tool call joins the turn, one during a text starts another', async () => {
    const rig = await claudeRig();
    const { call, running, release } = waiting(rig.cwd);
    const messages = channel();
    const talk = rig.start({
      steps: [{ tools: [call] }, { text: 'one', hold: 'text' }, { text: 'two' }],
      steer: messages,
    });
    await running();
    messages.put('also this');
    await talk.until(({ taken }) => taken === 2);
    release();
    await rig.model.arrived('text');
    messages.put('and that');
    await talk.until(({ taken }) => taken === 3);
    rig.model.release('text');
    const { outcome, end } = await talk.ended();
    expect(outcome).toEqual({ kind: 'succeeded', result: { text: 'two', turns: 1 } });
    expect(talk.messages).toEqual(['one', 'two']);
    expect(end.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 });
    const [, second, third] = rig.model.requests.map((request) => JSON.stringify(request.messages));
    expect(second).toContain('also this');
    expect(third).toContain('and that');
    expect(messages.ended).toBe(true);
  });
});

/** Messages from a test; a pending read resolves with the end when the agent ends. */
function channel() {
  const queue: string[] = [];
  let wake = (): void => {};
  const state = {
    ended: false,
    put: (message: string): void => {
      queue.push(message);
      wake();
    },
    [Symbol.asyncIterator]: (): AsyncIterator<string> => ({
      next: async () => {
        while (queue.length === 0 && !state.ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const value = queue.shift();
        if (value === undefined) return { done: true, value: undefined };
        return { done: false, value };
      },
      return: async () => {
        state.ended = true;
        wake();
        return { done: true, value: undefined };
      },
    }),
  };
  return state;
}

test('[P2] [P3] a run from cli that is steered from api is decided as strictly as api', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const person = async (name: string, channel: 'api' | 'cli') => {
    const { id } = await server.call<{ id: string }>('POST', '/api/v1/users', { name });
    const body = { name, userId: id, channel, scopes: ['read', 'run'] };
    const { token } = await server.call<{ token: string }>('POST', '/api/v1/tokens', body);
    const credential = { authorization: `Bearer ${token}` };
    return <T>(method: string, path: string, given?: object): Promise<T> =>
      server.call<T>(method, `/api/v1${path}`, given, credential);
  };
  const [owner, sharer] = [await person('hanako', 'cli'), await person('taro', 'api')];
  const session = await owner<Session>('POST', '/sessions', {
    name: 'shared',
    agent: { kind: 'claude' },
    workspace: { provider: 'directory', path: claude.work },
  });
  const shares = [{ user: 'taro', level: 'operate' }];
  await owner('PUT', `/sessions/${session.id}/shares`, { shares });
  const path = `/sessions/${session.id}/messages`;
  const message = scripted([
    { tools: [bash('touch before; touch before2')] },
    { tools: [bash('touch after; touch after2')], hold: 'call' },
    { text: 'one' },
  ]);
  const { runId } = await owner<{ runId: string }>('POST', path, { message });
  await claude.model.arrived('call');
  expect(existsSync(join(claude.work, 'before2'))).toBe(true);
  await sharer('POST', path, { message: 'and touch it after', onBusy: 'steer' });
  claude.model.release('call');
  const question = await asked(server, session, runId);
  expect(question).toMatchObject({
    input: { command: 'touch after; touch after2' },
    reason: expect.stringContaining('the run was steered from api'),
  });
  expect(existsSync(join(claude.work, 'after'))).toBe(false);
  await owner('POST', `/approvals/${question.id}`, { decision: 'deny', message: 'no' });
  expect(await ended(server, runId)).toMatchObject({ state: 'succeeded', channel: 'cli' });
});
