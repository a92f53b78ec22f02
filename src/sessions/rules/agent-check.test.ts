import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attemptRig, END, init } from '../../../test/support/attempt-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { MessageRequest } from '../../contract/message.ts';

const GLOBAL = { scope: 'global' } as const;
const deny = (...rules: string[]) => ({ allow: [], ask: [], deny: rules, enforced: rules });

test('[P1] the command of an agent is judged again at each start, when it may be denied', async () => {
  const rig = await serviceRig();
  const path = temporaryDirectory();
  const { id } = await rig.session('commanded', {
    agent: { kind: 'shell', command: ['touch', 'P'] },
    workspace: { provider: 'directory', path },
    holdOnFailure: false,
  });
  await rig.services.rules.put(ADMIN, GLOBAL, deny('Bash(touch P)'));
  const made = (name: string) => existsSync(join(path, name));
  await expect(rig.send(id, 'Q')).rejects.toMatchObject({ code: 'policy_denied' });
  await rig.services.rules.put(ADMIN, GLOBAL, deny());
  await rig.services.sessions.act(ADMIN, id, 'hold');
  const run = await rig.send(id, 'Q');
  await rig.services.rules.put(ADMIN, GLOBAL, deny('Bash(touch P)'));
  await rig.services.sessions.act(ADMIN, id, 'resume');
  expect(await rig.finished(run)).toMatchObject({
    state: 'failed',
    attempts: 1,
    error: { class: 'permission_denied', message: expect.stringContaining('agent.command') },
  });
  expect([made('P'), made('Q')]).toEqual([false, false]);
  const events = await rig.store.listAfter(id, 0, 100);
  expect(
    events.filter(({ type, runId }) => type === 'policy.denied' && runId === run),
  ).toMatchObject([{ payload: { tool: 'Bash', input: { command: 'touch P' }, scope: 'global' } }]);
});

test('[P7] nothing is started for an agent that uses Baton’s own files', async () => {
  const rig = await serviceRig();
  const key = join(rig.dataDir, 'admin-token');
  const refused: [field: string, agent: object][] = [
    ['agent.command', { kind: 'shell', command: ['cat', key] }],
    ['agent.mcpServers.x', { kind: 'claude', mcpServers: { x: { command: 'cat', args: [key] } } }],
    [
      'agent.mcpServers.x',
      {
        kind: 'claude',
        mcpServers: { x: { type: 'http', url: 'https://a.example', headersHelper: `cat ${key}` } },
      },
    ],
  ];
  for (const [field, agent] of refused) {
    await expect(rig.session('own', { agent })).rejects.toMatchObject({
      code: 'policy_denied',
      details: { field },
    });
  }
});

test('[P1] MCP servers are judged again at each start, by the channel they were configured on', async () => {
  const mcpServers = { x: { command: 'sh', args: ['-c', 'touch P'] } };
  const rig = await attemptRig({ session: { agent: { kind: 'claude', mcpServers } } });
  const channel = (name: 'api' | 'cli') => ({ scope: 'channel', channel: name }) as const;
  let started = 0;
  const attempt = async () => {
    const body = MessageRequest.parse({ message: 'hello' });
    await rig.services.messages.send({ ...ADMIN, channel: 'cli' }, rig.session.id, body, null);
    const one = await rig.attempt(async function* () {
      started++;
      yield init();
      yield { kind: 'end', end: END };
    });
    return one.ended();
  };
  await rig.services.rules.put(ADMIN, channel('cli'), deny('Bash(touch)'));
  expect(await attempt()).toMatchObject({ kind: 'succeeded' });
  await rig.services.rules.put(ADMIN, channel('api'), deny('Bash(touch)'));
  expect(await attempt()).toMatchObject({
    kind: 'failed',
    error: { class: 'permission_denied', message: expect.stringContaining('agent.mcpServers.x') },
  });
  expect(started).toBe(1);
  expect(await rig.events('policy.denied')).toMatchObject([
    { tool: 'Bash', input: { command: "sh -c 'touch P'" }, rule: 'Bash(touch)' },
  ]);
});
