import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptRig, END, forEver, init } from '../../../test/support/attempt-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import type { ToolAnswer, ToolCall, Turn } from '../../agents/driver.ts';
import { DecideApproval } from '../../contract/approval.ts';
import { type Channel, MessageRequest } from '../../contract/message.ts';
import type { RunView } from '../../contract/run-view.ts';
import { judgeAll } from './tool-scopes.ts';

const CLI = { scope: 'channel', channel: 'cli' } as const;
const WIPE = { id: 'call', tool: 'Bash', input: { command: 'rm -rf build' } };

/** A run from `cli`, which may do anything, whose agent makes calls on demand. */
async function runOfCli() {
  const rig = await attemptRig();
  const send = (channel: Channel, message: string, onBusy: 'enqueue' | 'steer' = 'enqueue') =>
    rig.services.messages.send(
      { ...ADMIN, channel },
      rig.session.id,
      MessageRequest.parse({ message, onBusy }),
      null,
    );
  await send('cli', 'clean up');
  const begin = async () => {
    const { promise: turn, resolve } = Promise.withResolvers<Turn>();
    const attempt = await rig.attempt(async function* (given) {
      yield init();
      resolve(given);
      await forEver();
      yield { kind: 'end', end: END };
    });
    const call = async (): Promise<ToolAnswer['behavior'] | 'asked'> => {
      const before = (await rig.events('approval.requested')).length;
      const { permit } = await turn;
      const answer = permit!({ ...WIPE }, new AbortController().signal);
      answer.catch(() => {});
      const asked = until(
        async () => (await rig.events('approval.requested')).length > before,
      ).then(() => 'asked' as const);
      return Promise.race([answer.then(({ behavior }) => behavior), asked.catch(forEver)]);
    };
    /** What the agent gets for a call; rejects if nobody answers before the attempt ends. */
    const use = async (asked: Omit<ToolCall, 'id'>): Promise<ToolAnswer> =>
      (await turn).permit!({ id: 'asked', ...asked }, new AbortController().signal);
    return { ...attempt, call, use };
  };
  /** Makes a call that a person answers in a browser; the answer is for the next attempt. */
  const ask = async (asked: Omit<ToolCall, 'id'>, answer: object): Promise<void> => {
    const { use, die } = await begin();
    void use(asked).catch(() => {});
    const pending = async () => {
      const page = await rig.services.approvals.list(ADMIN, { state: 'pending' });
      return page.items[0]?.id;
    };
    await until(async () => (await pending()) !== undefined);
    const by = { ...ADMIN, channel: 'web' } as const;
    await rig.services.approvals.decide(by, (await pending())!, DecideApproval.parse(answer));
    await die();
  };
  return { ...rig, send, begin, ask };
}

test('[P2] [P3] a steered run is as strict as the strictest person who sent it a message', async () => {
  const rig = await runOfCli();
  const { call } = await rig.begin();
  expect(await call()).toBe('allow');
  await rig.send('web', 'and the build', 'steer');
  expect(await call()).toBe('deny');
  const [denied] = await rig.events('policy.denied');
  expect(denied).toMatchObject({
    rule: 'Bash(rm -rf)',
    reason: expect.stringContaining('the run was steered from web'),
  });
});

const QUESTION = {
  tool: 'AskUserQuestion',
  input: { questions: [{ question: 'What next?', header: 'Next', options: [] }] },
};
const MAKE = { tool: 'Bash', input: { command: 'make' } };

test.each([
  [
    'answers a question',
    QUESTION,
    { decision: 'allow', input: { answers: { 'What next?': 'x' } } },
  ],
  ['denies a call with a message', MAKE, { decision: 'deny', message: 'Clean the build.' }],
  ['allows a call with a message', MAKE, { decision: 'allow', message: 'And clean the build.' }],
  ['edits a call', MAKE, { decision: 'allow', input: { command: 'make clean' } }],
])('[P2] [P3] a run is as strict as the strictest person who %s', async (_, asked, answer) => {
  const rig = await runOfCli();
  await rig.services.rules.put(ADMIN, CLI, { allow: [], ask: ['Bash(make)'], deny: [] });
  await rig.ask(asked, answer);
  const { call } = await rig.begin();
  expect(await call()).toBe('deny');
});

test('[P2] a person who only allows a call does not make the run stricter', async () => {
  const rig = await runOfCli();
  await rig.services.rules.put(ADMIN, CLI, { allow: [], ask: ['Bash(make)'], deny: [] });
  await rig.ask(MAKE, { decision: 'allow' });
  const { call, use } = await rig.begin();
  expect(await use(MAKE)).toEqual({ behavior: 'allow' });
  expect(await call()).toBe('allow');
});

test('[P2] an edited call is bound by the editor’s rules where its links lead', async () => {
  const rig = await runOfCli();
  const elsewhere = temporaryDirectory();
  symlinkSync(elsewhere, join(rig.path, 'link'));
  await rig.services.rules.put(ADMIN, CLI, { allow: [], ask: ['Write(draft.txt)'], deny: [] });
  const web = { scope: 'channel', channel: 'web' } as const;
  await rig.services.rules.put(ADMIN, web, {
    allow: [],
    ask: [],
    deny: [`Write(/${elsewhere}/**)`],
  });
  const write = { tool: 'Write', input: { file_path: join(rig.path, 'draft.txt'), content: '' } };
  const input = { file_path: join(rig.path, 'link', 'x'), content: '' };
  await rig.ask(write, { decision: 'allow', input });
  const { use } = await rig.begin();
  expect(await use(write)).toMatchObject({ behavior: 'deny' });
});

test('[P1] [P2] a rule that is enforced only for a person who steered is not overridden', () => {
  const ask = ['Bash(make)'];
  const rules = { allow: [], ask, deny: [] };
  const channels = { cli: rules, web: { ...rules, enforced: ask } };
  const inForce = { session: null, channels, global: null };
  const web = { channel: 'web' } as const;
  expect(judgeAll(MAKE, {}, { channel: 'cli' }, [web], inForce)).toMatchObject({
    decision: 'ask',
    enforced: true,
    reason: expect.stringContaining('the run was steered from web'),
  });
});

test('[P2] [Q7] it stays so after a crash, for the next attempt on another node', async () => {
  const rig = await runOfCli();
  const first = await rig.begin();
  await rig.send('web', 'and the build', 'steer');
  await first.die();
  const second = await rig.begin();
  expect(second.run.id).toBe(first.run.id);
  expect(second.fence).not.toBe(first.fence);
  expect(await second.call()).toBe('deny');
});

test('[P2] a sender with weaker rules does not make a run less strict', async () => {
  const rig = await runOfCli();
  await rig.services.rules.put(
    ADMIN,
    { scope: 'channel', channel: 'cli' },
    {
      allow: [],
      ask: [],
      deny: ['Bash(rm -rf)'],
    },
  );
  await rig.services.rules.put(
    ADMIN,
    { scope: 'channel', channel: 'web' },
    {
      allow: ['*'],
      ask: [],
      deny: [],
    },
  );
  const { call } = await rig.begin();
  await rig.send('web', 'please', 'steer');
  expect(await call()).toBe('deny');
});

test('[P2] [A5] the cost of an edited or retried run counts for the person who edited or retried it', async () => {
  const rig = await runOfCli();
  const [{ id }] = (await rig.services.runs.list(ADMIN, {})).items as [RunView];
  for (const name of ['taro', 'hanako'])
    await rig.store.createUser({ id: name, name, role: 'admin' });
  const taro = { ...ADMIN, userId: 'taro', channel: 'web' } as const;
  await rig.services.runs.edit(taro, id, { message: 'clean up well' });
  const play = async function* () {
    yield init();
    yield { kind: 'end', end: END } as const;
  };
  expect(await (await rig.attempt(play)).ended()).toMatchObject({ kind: 'succeeded' });
  expect(await rig.services.runs.invocations(ADMIN, id)).toMatchObject([
    { userId: 'taro', channel: 'web' },
  ]);
  const hanako = { ...ADMIN, userId: 'hanako', channel: 'cli' } as const;
  const again = await rig.services.runs.retry(hanako, id);
  await (await rig.attempt(play)).ended();
  expect(await rig.services.runs.invocations(ADMIN, again.id)).toMatchObject([
    { userId: 'hanako', channel: 'cli' },
  ]);
});
