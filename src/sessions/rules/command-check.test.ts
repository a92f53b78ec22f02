import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { authorised } from '../../../test/support/principals.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import { MessageRequest } from '../../contract/message.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';

const secret = SECRETS[0]?.secret as string;
const rules = (given: object) => ({ allow: [], ask: [], deny: [], ...given });

/** A session whose agent works until it is released, so messages sent until then wait. */
async function busyRig() {
  const rig = await serviceRig();
  const path = temporaryDirectory();
  const { id } = await rig.session('busy', {
    workspace: { provider: 'directory', path },
    holdOnFailure: false,
  });
  const first = await rig.send(id, 'until [ -e go ]; do sleep 0.05; done');
  await until(async () => (await rig.services.runs.get(ADMIN, first)).state === 'running');
  const put = (given: object) => rig.services.rules.putForSession(ADMIN, id, rules(given));
  const release = async () => {
    writeFileSync(join(path, 'go'), '');
    await rig.finished(first);
  };
  const denials = async () =>
    (await rig.store.listAfter(id, 0, 100)).filter(({ type }) => type === 'policy.denied');
  return {
    ...rig,
    id,
    put,
    release,
    denials,
    made: (name: string) => existsSync(join(path, name)),
  };
}

test('[P3] a queued command is checked again before it runs, and does not run if it is denied by then', async () => {
  const rig = await busyRig();
  const denied = await rig.send(rig.id, `touch made ${secret}`);
  const allowed = await rig.send(rig.id, 'mkdir other');
  await rig.put({ deny: ['Bash(touch)'] });
  await rig.release();
  expect(await rig.finished(denied)).toMatchObject({
    state: 'failed',
    attempts: 1,
    error: { class: 'permission_denied', message: expect.stringContaining('Bash(touch)') },
  });
  expect(await rig.finished(allowed)).toMatchObject({ state: 'succeeded' });
  expect([rig.made('made'), rig.made('other')]).toEqual([false, true]);
  expect(await rig.services.runs.invocations(ADMIN, denied)).toEqual([]);
  const events = await rig.denials();
  expect(events).toMatchObject([
    { runId: denied, payload: { tool: 'Bash', scope: 'session', rule: 'Bash(touch)' } },
  ]);
  expect(JSON.stringify(events)).not.toContain(secret);

  // A retry is judged like any other message.
  await expect(rig.services.runs.retry(ADMIN, denied)).rejects.toMatchObject({
    code: 'policy_denied',
  });
  await rig.put({});
  const last = (await rig.services.runs.retry(ADMIN, denied)).id;
  expect(await rig.finished(last)).toMatchObject({ state: 'succeeded' });
  expect(rig.made('made')).toBe(true);
});

test('[P3] a command that needs approval by then runs only where the sender would be asked', async () => {
  const rig = await busyRig();
  const line = authorised({ ...ADMIN, channel: 'line' });
  const message = MessageRequest.parse({ message: 'git --version' });
  await rig.put({ allow: ['Bash(git --version)'] });
  const chat = (await rig.services.messages.send(line, rig.id, message, null)).runId;
  const mine = await rig.send(rig.id, 'git --version');
  await rig.put({ ask: ['Bash(git)'] });
  await rig.release();
  expect(await rig.finished(chat)).toMatchObject({ error: { class: 'permission_denied' } });
  expect(await rig.finished(mine)).toMatchObject({ state: 'succeeded' });
});
