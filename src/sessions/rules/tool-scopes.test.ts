import { expect, test } from 'vitest';
import { attemptRig, END, forEver, init } from '../../../test/support/attempt-rig.ts';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import type { ToolAnswer, Turn } from '../../agents/driver.ts';
import { type Channel, MessageRequest } from '../../contract/message.ts';
import type { RunView } from '../../contract/run-view.ts';

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
    return { ...attempt, call };
  };
  return { ...rig, send, begin };
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
