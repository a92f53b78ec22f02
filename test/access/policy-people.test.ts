import { describe, expect, test } from 'vitest';
import type { Channel } from '../../src/contract/message.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import { claim } from '../support/asking.ts';
import { accessRig, type Database } from './access-matrix-rig.ts';

const SHARED = { name: 'shared', holdOnFailure: false };

/**
 * An owner on `cli`, which allows everything, and a person on `web` who may operate the session.
 */
async function twoPeople(database: Database, agent: 'shell' | 'claude' = 'shell') {
  const rig = await accessRig(database);
  const person = async (name: string, channel: Channel) => {
    const id = await rig.user(name, 'operator');
    const { token } = await rig.token(id, ['read', 'run'], { channel });
    const ask = async <T = RunView>(method: string, path: string, body?: object) => {
      const answer = await fetch(`${rig.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as T };
    };
    return { id, ask };
  };
  const [owner, sharer] = [await person('hanako', 'cli'), await person('taro', 'web')];
  const made = await owner.ask<{ id: string }>('POST', '/sessions', {
    ...SHARED,
    agent: { kind: agent },
  });
  const { id } = made.body;
  const shares = [{ user: 'taro', level: 'operate' }];
  expect((await owner.ask('PUT', `/sessions/${id}/shares`, { shares })).status).toBe(200);
  const send = async (by: typeof owner, message: string, more: object = {}) =>
    by.ask<{ runId: string }>('POST', `/sessions/${id}/messages`, { message, ...more });
  const sent = async (by: typeof owner, message: string): Promise<string> => {
    const { status, body } = await send(by, message);
    expect(status).toBe(202);
    return body.runId;
  };
  return { rig, owner, sharer, id, send, sent };
}

const DENIED = { status: 403, body: { error: { code: 'policy_denied' } } };
const WIPE = 'rm -rf build';

describe.each<Database>(['sqlite', 'postgres'])('on %s', (database) => {
  test('[P2] [Q12] an edit is judged by the channel of the person who edits, and is theirs', async () => {
    const { owner, sharer, send, sent, id } = await twoPeople(database);
    const run = await sent(owner, WIPE);
    expect(await send(sharer, WIPE)).toMatchObject(DENIED);
    expect(await sharer.ask('PATCH', `/runs/${run}`, { message: `${WIPE} dist` })).toMatchObject(
      DENIED,
    );
    // Moving a run does not change its message.
    const moved = await sharer.ask('PATCH', `/runs/${run}`, { before: null });
    expect(moved.body).toMatchObject({ message: WIPE, channel: 'cli', sender: owner.id });
    const edited = await sharer.ask('PATCH', `/runs/${run}`, { message: 'ls' });
    expect(edited).toMatchObject({ status: 200, body: { channel: 'web', sender: sharer.id } });
    const back = await owner.ask('PATCH', `/runs/${run}`, { message: WIPE });
    expect(back).toMatchObject({ status: 200, body: { channel: 'cli', sender: owner.id } });
    const list = await sharer.ask<{ items: RunView[] }>('GET', `/runs?sessionId=${id}`);
    expect(list.body.items).toMatchObject([{ id: run, channel: 'cli', sender: owner.id }]);
  });

  test('[P2] a retry is judged by the channel of the person who retries, and is theirs', async () => {
    const { owner, sharer, sent } = await twoPeople(database);
    const [wiped, listed] = [await sent(owner, WIPE), await sent(owner, 'ls')];
    for (const run of [wiped, listed]) await owner.ask('POST', `/runs/${run}/cancel`);
    expect(await sharer.ask('POST', `/runs/${wiped}/retry`)).toMatchObject(DENIED);
    const again = await sharer.ask('POST', `/runs/${listed}/retry`);
    const theirs = { channel: 'web', sender: sharer.id };
    expect(again).toMatchObject({ status: 201, body: { ...theirs, retryOf: listed } });
    const path = `/runs/${again.body.id}`;
    expect(await sharer.ask('PATCH', path, { message: WIPE })).toMatchObject(DENIED);
    const own = await owner.ask('POST', `/runs/${wiped}/retry`);
    expect(own).toMatchObject({ status: 201, body: { channel: 'cli', sender: owner.id } });
    expect((await owner.ask('GET', `/runs/${wiped}`)).body).toMatchObject({ sender: owner.id });
  });

  test('[P2] [P4] a retry is judged by the original text, not the masked one', async () => {
    const { owner, sharer, sent } = await twoPeople(database);
    const run = await sent(owner, `echo password=hunter2hunter2; ${WIPE}`);
    await owner.ask('POST', `/runs/${run}/cancel`);
    expect(await sharer.ask('POST', `/runs/${run}/retry`)).toMatchObject(DENIED);
  });

  test('[P2] a retry and an edit keep the message’s allowed tools', async () => {
    const { owner, sharer, send } = await twoPeople(database);
    const { body } = await send(owner, 'ls', { allowedTools: ['Bash(ls)', 'Bash(pwd)'] });
    const path = `/runs/${body.runId}`;
    expect(await sharer.ask('PATCH', path, { message: 'cat x' })).toMatchObject(DENIED);
    expect(await sharer.ask('PATCH', path, { message: 'pwd' })).toMatchObject({ status: 200 });
    await owner.ask('POST', `${path}/cancel`);
    const again = await sharer.ask('POST', `${path}/retry`);
    const next = `/runs/${again.body.id}`;
    expect(await sharer.ask('PATCH', next, { message: 'cat x' })).toMatchObject(DENIED);
  });

  test('[P2] [Q11] the people who steer a run are stored with it, whichever node continues it', async () => {
    const { rig, owner, sharer, send, sent, id } = await twoPeople(database, 'claude');
    const run = await sent(owner, 'build it');
    const { fence } = await claim(rig.store, id, 'agent');
    await rig.store.write([{ lane: id, fence, start: true }]);
    const steered = await send(sharer, 'and wipe it', { onBusy: 'steer' });
    expect(steered).toMatchObject({ status: 202, body: { runId: run, status: 'steered' } });
    expect(await rig.store.speakersIn(run)).toEqual([{ channel: 'web' }]);
    const { body } = await owner.ask('GET', `/runs/${run}`);
    expect(body).toMatchObject({ channel: 'cli', sender: owner.id });
  });
});
