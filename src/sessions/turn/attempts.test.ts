import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  attemptRig,
  END,
  forEver,
  init,
  type Play,
  toolUse,
} from '../../../test/support/attempt-rig.ts';
import { authorised } from '../../../test/support/principals.ts';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import { MessageRequest } from '../../contract/message.ts';
import type { Process, Spawn } from '../../workspaces/process.ts';

type Rig = Awaited<ReturnType<typeof attemptRig>>;

async function failsUnstarted(rig: Rig, error: object): Promise<void> {
  let started = false;
  const attempt = await rig.attempt(async function* () {
    started = true;
    yield { kind: 'end', end: END };
  });
  expect(await attempt.ended()).toMatchObject({ kind: 'failed', error });
  expect(started).toBe(false);
}

test('[A6] a used-up budget ends a run before an agent starts', async () => {
  const rig = await attemptRig({ session: { budgetUsd: 0.5 } });
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    model: 'm',
    costUsd: 0.5,
    source: 'claude',
  };
  await rig.say('one');
  const first = await rig.attempt(async function* () {
    yield init();
    yield { kind: 'end', end: { ...END, usage } };
  });
  expect(await first.ended()).toMatchObject({ kind: 'succeeded' });
  await rig.say('two');
  await failsUnstarted(rig, { class: 'budget_reached' });
});

test('[Q10] [A5] an attempt’s cost is stored before its result', async () => {
  const costs: number[] = [];
  const rig = await attemptRig({
    onCommit: async ({ store, session }) => {
      costs.push((await store.sumInvocations(session.id)).costUsd);
    },
  });
  const tokens = { inputTokens: 1, outputTokens: 1, cacheCreationTokens: 0, cacheReadTokens: 0 };
  const usage = { ...tokens, model: 'm', costUsd: 0.5, source: 'claude' };
  await rig.say('one');
  const attempt = await rig.attempt(async function* () {
    yield init();
    yield { kind: 'end', end: { ...END, usage } };
  });
  expect(await attempt.ended()).toMatchObject({ kind: 'succeeded' });
  expect(costs).toEqual([0.5]);
});

const push = { command: 'git push origin main' };
const order = { command: 'install /dev/null a' };
const succeed: Play = async function* () {
  yield init();
  yield { kind: 'end', end: END };
};
const forEverAtWork: Play = async function* () {
  yield init();
  await forEver();
};
const UNSAFE = { kind: 'failed', error: { class: 'interrupted_unsafe' } };
const never = new AbortController().signal;

/** Answers the open question. */
async function allow({ services, session }: Awaited<ReturnType<typeof attemptRig>>): Promise<void> {
  let id: string | undefined;
  await until(async () => {
    const { items } = await services.approvals.list(ADMIN, {
      sessionId: session.id,
      state: 'pending',
    });
    id = items[0]?.id;
    const [run] = await services.runs
      .list(ADMIN, { sessionId: session.id })
      .then(({ items }) => items);
    return id !== undefined && run?.state === 'waiting';
  });
  await services.approvals.decide(ADMIN, id!, { decision: 'allow', scope: 'once' });
}

test('[Q16] a call that waited behind a question was not made', async () => {
  const rig = await attemptRig();
  await rig.say('do both');
  const first = await rig.attempt(async function* ({ permit }) {
    yield init();
    yield toolUse('1', 'Bash', order);
    yield toolUse('2', 'Bash', push);
    await permit!({ id: '1', tool: 'Bash', input: order }, never);
  });
  await until(async () => (await rig.events('run.waiting')).length === 1);
  await first.die();
  await allow(rig);
  const second = await rig.attempt(succeed);
  expect(await second.ended()).toMatchObject({ kind: 'succeeded' });
});

test.each([
  ['that the rules allowed', {}, true],
  ['that nobody need be asked about', { trusted: true }, false],
])('[Q16] a call %s may have been made', async (_, agent, asks) => {
  const rig = await attemptRig({ session: { agent: { kind: 'claude', ...agent } } });
  const rules = { allow: ['Bash(git push:*)'], ask: [], deny: [] };
  await rig.store.putRules({ scope: 'session', sessionId: rig.session.id }, rules);
  await rig.say('push');
  const allowed = Promise.withResolvers<void>();
  const first = await rig.attempt(async function* ({ permit }) {
    yield init();
    yield toolUse('1', 'Bash', push);
    if (asks) await permit!({ id: '1', tool: 'Bash', input: push }, never);
    allowed.resolve();
    await forEver();
  });
  await allowed.promise;
  await first.die();
  expect(await (await rig.attempt(succeed)).ended()).toMatchObject(UNSAFE);
});

/** An attempt at the command that writes `written` and is interrupted. */
async function cutOffCommand(rig: Rig): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const first = await rig.attempt(async function* ({ runtime }) {
    yield { kind: 'init', conversation: null };
    writeFileSync(join(runtime.root, 'written'), 'half');
    begun.resolve();
    await forEver();
  });
  await begun.promise;
  await first.die();
}

test.each([
  ['a command of the shell', 'echo half > written', {}],
  ['another program', 'anything', { agent: { kind: 'shell', command: ['a-program'] } }],
])(
  '[Q16] what %s wrote before it was interrupted is recorded, then it runs again',
  async (_, command, given) => {
    const rig = await attemptRig({ agent: 'shell', session: given });
    await rig.say(command);
    await cutOffCommand(rig);
    let already = 0;
    const second = await rig.attempt(async function* () {
      already = (await rig.events('run.retry_diff')).length;
      yield { kind: 'end', end: END };
    });
    expect(await second.ended()).toMatchObject({ kind: 'succeeded' });
    expect(already).toBe(1);
    expect(await rig.events('run.retry_diff')).toMatchObject([
      { sinceAttempt: 1, files: [{ path: 'written', change: 'added' }] },
    ]);
  },
);

test('[Q16] a command that only reads runs again, without a snapshot', async () => {
  const rig = await attemptRig({ agent: 'shell' });
  const run = await rig.say('cat written');
  await cutOffCommand(rig);
  expect(await (await rig.attempt(succeed)).ended()).toMatchObject({ kind: 'succeeded' });
  expect(await rig.events('run.retry_diff')).toEqual([]);
  expect(await rig.store.readSnapshot(run)).toBeNull();
});

test('[Q16] a command that must not run twice does not run again', async () => {
  const rig = await attemptRig({ agent: 'shell' });
  await rig.say(push.command);
  const begun = Promise.withResolvers<void>();
  const first = await rig.attempt(async function* () {
    yield { kind: 'init', conversation: null };
    yield { kind: 'delta', text: 'Everything up-to', stream: 'stdout' };
    begun.resolve();
    await forEver();
  });
  await begun.promise;
  await until(async () => (await rig.events('agent.init')).length === 1);
  await first.die();
  expect(await (await rig.attempt(succeed)).ended()).toMatchObject(UNSAFE);
});

test('[A3] no agent starts while one of an earlier attempt cannot be killed', async () => {
  const rig = await attemptRig({ left: [7] });
  await rig.say('work');
  const begun = Promise.withResolvers<void>();
  const first = await rig.attempt(async function* () {
    yield init();
    begun.resolve();
    await forEver();
  });
  await begun.promise;
  await first.die();
  await failsUnstarted(rig, { class: 'agent_crash', message: expect.stringContaining('7') });
});

test('[A3] a run that never started leaves no conversation to continue', async () => {
  const rig = await attemptRig();
  await rig.say('work');
  const begun = Promise.withResolvers<void>();
  const first = await rig.attempt(async function* () {
    yield init('lost');
    begun.resolve();
    await forEver();
  });
  await begun.promise;
  await until(async () => (await rig.events('agent.init')).length === 1);
  await rig.services.runs.cancel(ADMIN, await rig.say('not this one'));
  await first.die();
  let conversation: string | null = 'none';
  const second = await rig.attempt(async function* (turn) {
    conversation = turn.conversation;
    yield { kind: 'end', end: END };
  });
  await second.ended();
  expect(conversation).toBeNull();
});

test('[A3] a run whose conversation was lost starts a new one when a person retries it', async () => {
  const rig = await attemptRig();
  await rig.say('one');
  await (await rig.attempt(succeed)).ended();
  await rig.say('two');
  const error = { class: 'conversation_lost', message: 'No conversation found' } as const;
  const lost = await rig.attempt(async function* () {
    yield { kind: 'end', end: { ...END, outcome: { kind: 'failed', error } } };
  });
  await lost.ended();
  await rig.services.runs.retry(ADMIN, lost.run.id);
  const conversations: (string | null)[] = [];
  const record: Play = async function* (turn) {
    conversations.push(turn.conversation);
    yield init('fresh');
    yield { kind: 'end', end: END };
  };
  await (await rig.attempt(record)).ended();
  await rig.say('three');
  await (await rig.attempt(record)).ended();
  expect(conversations).toEqual([null, 'fresh']);
});

test('[A3] an agent started after its run was taken over gets no input', async () => {
  let stopped = false;
  const stop = async (): Promise<void> => {
    stopped = true;
  };
  const spawn: Spawn = async () => ({ stop }) as unknown as Process;
  const rig = await attemptRig({ spawn });
  await rig.say('work');
  const about = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let spoken = false;
  const first = await rig.attempt(async function* (turn) {
    about.resolve();
    // Like a process that is suspended here and continues much later.
    await go.promise;
    await turn.runtime.spawn(['claude']);
    spoken = true;
    yield { kind: 'end', end: END };
  });
  await about.promise;
  await first.die();
  await rig.attempt(forEverAtWork);
  go.resolve();
  await until(() => stopped || spoken);
  expect({ stopped, spoken }).toEqual({ stopped: true, spoken: false });
});

test('[Q11] a manual retry of a run includes the messages that were added to it', async () => {
  const rig = await attemptRig();
  await rig.say('fix it');
  const go = Promise.withResolvers<void>();
  const error = { class: 'invalid_request', message: 'no credit' } as const;
  const first = await rig.attempt(async function* () {
    yield init();
    await go.promise;
    yield { kind: 'end', end: { ...END, outcome: { kind: 'failed', error } } };
  });
  await rig.say('and the tests', { onBusy: 'steer' });
  for (const { id } of await rig.store.listSteers([first.run.id])) {
    expect(await rig.store.markSteer(id, true, first.fence)).toBe(true);
  }
  go.resolve();
  await first.ended();
  const messages: string[] = [];
  const record: Play = async function* ({ message }) {
    messages.push(message);
    yield init();
    yield { kind: 'end', end: { ...END, outcome: { kind: 'failed', error } } };
  };
  for (let of = first.run.id, i = 0; i < 2; i++) {
    of = (await rig.services.runs.retry(ADMIN, of)).id;
    await (await rig.attempt(record)).ended();
  }
  expect(messages).toHaveLength(2);
  for (const message of messages) expect(message).toMatch(/^fix it.*added:\n\nand the tests$/s);
});

test('[X3] [Q11] after a crash, a message of someone who may now only view is not given again', async () => {
  const rig = await attemptRig();
  const { id } = rig.session;
  await rig.store.createUser({ id: 'taro', name: 'taro', role: 'operator' });
  const share = (level: 'view' | 'operate') =>
    rig.services.shares.put(ADMIN, id, { shares: [{ user: 'taro', level }] });
  await share('operate');
  await rig.say('fix it');
  const first = await rig.attempt(forEverAtWork);
  const taro = authorised({ userId: 'taro', role: 'operator', channel: 'cli' });
  const steer = (message: string) => MessageRequest.parse({ message, onBusy: 'steer' });
  await rig.services.messages.send(taro, id, steer('and publish it'), null);
  await rig.services.messages.send(ADMIN, id, steer('and the tests'), null);
  for (const each of await rig.store.listSteers([first.run.id])) {
    expect(await rig.store.markSteer(each.id, true, first.fence)).toBe(true);
  }
  await share('view');
  await first.die();
  let said = '';
  const second = await rig.attempt(async function* ({ message }) {
    said = message;
    yield init();
    yield { kind: 'end', end: END };
  });
  await second.ended();
  expect(said).toContain('and the tests');
  expect(said).not.toContain('and publish it');
});

test('[H9] the start of a run reads only the latest of the runs that it retries', async () => {
  const rig = await attemptRig();
  const by = { ...ADMIN, channel: 'cli' } as const;
  const message = MessageRequest.parse({ message: 'again' });
  let { runId } = await rig.services.messages.send(by, rig.session.id, message, null);
  for (let n = 0; n < 30; n++) {
    await rig.services.runs.cancel(by, runId);
    runId = (await rig.services.runs.retry(by, runId)).id;
  }
  const get = vi.spyOn(rig.store, 'get');
  const attempt = await rig.attempt(async function* () {
    yield init();
    yield { kind: 'end', end: END };
  });
  expect(await attempt.ended()).toMatchObject({ kind: 'succeeded' });
  expect(get.mock.calls.length).toBeLessThan(25);
});
