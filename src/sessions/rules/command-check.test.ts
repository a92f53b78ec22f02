import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import type { Principal } from '../../access/principal.ts';
import { MessageRequest } from '../../contract/message.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';

const secret = SECRETS[0]?.secret as string;
const rules = (given: object) => ({ allow: [], ask: [], deny: [], ...given });

/** A session whose agent works until it is let go, so that what is sent meanwhile waits. */
async function busyRig() {
  const rig = await serviceRig();
  const path = temporaryDirectory();
  const { id } = await rig.session('busy', {
    workspace: { provider: 'directory', path },
    holdOnFailure: false,
  });
  const first = await rig.send(id, 'until [ -e go ]; do sleep 0.05; done');
  await until(async () => (await rig.service.getRun(ADMIN, first)).state === 'running');
  const put = (given: object) =>
    rig.service.putRules(ADMIN, { scope: 'session', sessionId: id }, rules(given));
  const letGo = async () => {
    writeFileSync(join(path, 'go'), '');
    await rig.finished(first);
  };
  const denials = async () =>
    (await rig.store.listAfter(id, 0, 100)).filter(({ type }) => type === 'policy.denied');
  return { ...rig, id, put, letGo, denials, made: (name: string) => existsSync(join(path, name)) };
}

test('[P3] a command that waited is checked again when its turn comes: what is denied by then does not run', async () => {
  const rig = await busyRig();
  const denied = await rig.send(rig.id, `touch made ${secret}`);
  const allowed = await rig.send(rig.id, 'mkdir other');
  await rig.put({ deny: ['Bash(touch)'] });
  await rig.letGo();
  expect(await rig.finished(denied)).toMatchObject({
    state: 'failed',
    attempts: 1,
    error: { class: 'permission_denied', message: expect.stringContaining('Bash(touch)') },
  });
  expect(await rig.finished(allowed)).toMatchObject({ state: 'succeeded' });
  expect([rig.made('made'), rig.made('other')]).toEqual([false, true]);
  expect(await rig.service.invocations(ADMIN, denied)).toEqual([]);
  const told = await rig.denials();
  expect(told).toMatchObject([
    { runId: denied, payload: { tool: 'Bash', scope: 'session', rule: 'Bash(touch)' } },
  ]);
  expect(JSON.stringify(told)).not.toContain(secret);

  // A retry is judged like any other message.
  await expect(rig.service.retryRun(ADMIN, denied)).rejects.toMatchObject({
    code: 'policy_denied',
  });
  await rig.put({});
  const last = (await rig.service.retryRun(ADMIN, denied)).id;
  expect(await rig.finished(last)).toMatchObject({ state: 'succeeded' });
  expect(rig.made('made')).toBe(true);
});

test('[P3] what is to be asked about by then runs only where the sender is who would be asked', async () => {
  const rig = await busyRig();
  const line: Principal = { ...ADMIN, channel: 'line' };
  const message = MessageRequest.parse({ message: 'git --version' });
  await rig.put({ allow: ['Bash(git --version)'] });
  const chat = (await rig.service.send(line, rig.id, message, null)).runId;
  const mine = await rig.send(rig.id, 'git --version');
  await rig.put({ ask: ['Bash(git)'] });
  await rig.letGo();
  expect(await rig.finished(chat)).toMatchObject({ error: { class: 'permission_denied' } });
  expect(await rig.finished(mine)).toMatchObject({ state: 'succeeded' });
});
