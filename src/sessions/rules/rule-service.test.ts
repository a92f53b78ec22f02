import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { authorised, type Person } from '../../../test/support/principals.ts';
import { ADMIN, type ServiceRig, serviceRig } from '../../../test/support/service-rig.ts';
import type { Role } from '../../contract/access.ts';
import { type Channel, MessageRequest } from '../../contract/message.ts';
import { SharedRules, ToolRules } from '../../contract/policy.ts';
import { CreateSession } from '../../contract/session.ts';
import { SESSION_EVENTS } from '../../contract/session-event.ts';
import { newId } from '../../contract/values/ids.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';
import { CHANNEL_DEFAULTS } from '../../policy/tools/channel-defaults.ts';

const GLOBAL = { scope: 'global' } as const;
const rules = (given: object): ToolRules => ToolRules.parse(given);
const shared = (given: object): SharedRules => SharedRules.parse(given);

async function person(
  { store }: ServiceRig,
  name: string,
  { role = 'operator' as Role, channel = 'api' as Channel } = {},
): Promise<Person> {
  const { id } = await store.createUser({ id: newId(), name, role });
  return authorised({ userId: id, role, channel });
}

async function sessionRig(agent: 'shell' | 'claude' = 'shell') {
  const rig = await serviceRig({ executes: false });
  const owner = await person(rig, 'hanako');
  const body = CreateSession.parse({ name: 'hers', agent: { kind: agent } });
  const { id } = await rig.services.sessions.create(owner, body);
  const send = (by: Person, message: string, more: object = {}) =>
    rig.services.messages.send(by, id, MessageRequest.parse({ message, ...more }), null);
  const denials = async () =>
    (await rig.store.listAfter(id, 0, 1000))
      .filter(({ type }) => type === 'policy.denied')
      .map(({ payload }) => SESSION_EVENTS['policy.denied'].parse(payload));
  return {
    ...rig,
    rig,
    owner,
    id,
    scope: { scope: 'session', sessionId: id } as const,
    send,
    denials,
  };
}

test('[P1] [H9] a shell command that no shell can run is refused, but tells strangers nothing', async () => {
  const { rig, owner, send } = await sessionRig();
  const taro = await person(rig, 'taro');
  const long = `echo ${'a'.repeat(128 * 1024)}`;
  await expect(send(owner, long)).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'message' },
  });
  await expect(send(taro, long)).rejects.toMatchObject({ code: 'not_found' });
  const claude = await sessionRig('claude');
  await claude.send(claude.owner, long);
});

test('[P1] [P2] rules of the server, a channel and a session, each for those who may set them', async () => {
  const { services, rig, owner, scope, id } = await sessionRig();
  const taro = await person(rig, 'taro');
  expect(await services.rules.get(owner, GLOBAL)).toEqual(shared({}));
  expect(await services.rules.get(owner, scope)).toEqual(rules({}));
  const line = { scope: 'channel', channel: 'line' } as const;
  expect(await services.rules.get(taro, line)).toEqual(shared(CHANNEL_DEFAULTS.line));

  const own = rules({ allow: ['Read'], deny: ['Bash(git push)'] });
  expect(await services.rules.putForSession(owner, id, own)).toEqual(own);
  expect(await services.rules.get(owner, scope)).toEqual(own);
  await expect(services.rules.get(taro, scope)).rejects.toMatchObject({ code: 'not_found' });
  await expect(services.rules.putForSession(taro, id, own)).rejects.toMatchObject({
    code: 'not_found',
  });
  await services.shares.put(owner, id, { shares: [{ user: 'taro', level: 'view' }] });
  expect(await services.rules.get(taro, scope)).toEqual(own);
  await expect(services.rules.putForSession(taro, id, own)).rejects.toMatchObject({
    code: 'forbidden',
  });
  for (const where of [GLOBAL, line]) {
    const all = shared({ ...own, enforced: own.deny });
    expect(await services.rules.put(ADMIN, where, all)).toEqual(all);
    expect(await services.rules.get(taro, where)).toEqual(all);
  }
});

test('[P1] an invalid rule, or one with a secret, is refused with its position', async () => {
  const { services, owner, scope, id } = await sessionRig();
  const put = (given: ToolRules) => services.rules.putForSession(owner, id, given);
  await expect(put({ allow: ['Read', 'Bash( )'], ask: [], deny: [] })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'allow.1' },
  });
  const secret = SECRETS[0]?.secret as string;
  await expect(put(rules({ deny: [`Bash(echo ${secret})`] }))).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'deny' },
  });
  expect(await services.rules.get(owner, scope)).toEqual(rules({}));
});

test('[P1] only ask and deny rules can be enforced', async () => {
  const { services } = await sessionRig();
  const put = (given: object) => services.rules.put(ADMIN, GLOBAL, shared(given));
  await expect(
    put({ deny: ['Bash'], allow: ['Read'], enforced: ['Bash', 'Read'] }),
  ).rejects.toMatchObject({ code: 'invalid_request', details: { field: 'enforced.1' } });
  // Rules stored before enforcement existed.
  await services.rules.put(ADMIN, GLOBAL, rules({ deny: ['Bash'] }));
  expect(await services.rules.get(ADMIN, GLOBAL)).toEqual(shared({ deny: ['Bash'] }));
});

test('[P6] a change of rules is audited with the rules before it', async () => {
  const { services, owner, store, id } = await sessionRig();
  await services.rules.putForSession(owner, id, rules({ allow: ['Read'] }));
  const long = rules({
    deny: Array.from({ length: 200 }, (_, i) => `Bash(command-${i} argument)`),
  });
  await services.rules.putForSession(owner, id, long);
  const marked = shared({ ask: ['Read'], enforced: ['Read'] });
  await services.rules.put(ADMIN, { scope: 'channel', channel: 'line' }, marked);
  const audited = await store.listAudit({ limit: 10, action: 'policy.update' });
  expect(audited.map(({ target, before, after }) => ({ target, before, after }))).toEqual([
    {
      target: { kind: 'policy', id: 'line' },
      before: shared(CHANNEL_DEFAULTS.line),
      after: shared({ ask: ['Read'], enforced: ['Read'] }),
    },
    {
      target: { kind: 'session', id },
      before: rules({ allow: ['Read'] }),
      after: { allow: 0, ask: 0, deny: 200 },
    },
    { target: { kind: 'session', id }, before: rules({}), after: rules({ allow: ['Read'] }) },
  ]);
});

test('[P1] a test returns what the current rules would decide, and changes nothing', async () => {
  const { services, rig, owner, id, store } = await sessionRig();
  const push = { tool: 'Bash', input: { command: 'git push' } };
  const test = (channel: Channel, sessionId?: string, by = owner) =>
    services.rules.test(by, {
      ...push,
      channel,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  expect(await test('line')).toMatchObject({ decision: 'deny', scope: 'channel' });
  expect(await test('web')).toMatchObject({ decision: 'ask', scope: 'default', rule: null });
  expect(await test('cli')).toMatchObject({ decision: 'allow' });
  await services.rules.put(ADMIN, GLOBAL, rules({ deny: ['Bash(git push)'] }));
  expect(await test('cli')).toMatchObject({ decision: 'deny', scope: 'global' });
  await services.rules.putForSession(owner, id, rules({ allow: ['Bash(git push)'] }));
  expect(await test('line', id)).toMatchObject({ decision: 'allow', scope: 'session' });
  const taro = await person(rig, 'taro');
  await expect(test('line', id, taro)).rejects.toMatchObject({ code: 'not_found' });
  const types = (await store.listAfter(id, 0, 100)).map(({ type }) => type);
  expect(types).not.toContain('policy.denied');
});

test('[P3] a command that the rules deny is refused, logged and leaves no run', async () => {
  const { services, rig, owner, id, send, denials } = await sessionRig();
  await expect(send(owner, 'rm -rf build')).rejects.toMatchObject({
    code: 'policy_denied',
    status: 403,
    details: { verdict: { decision: 'deny', scope: 'channel', rule: 'Bash(rm -rf)' } },
  });
  expect(await denials()).toMatchObject([
    { tool: 'Bash', input: { command: 'rm -rf build' }, scope: 'channel', rule: 'Bash(rm -rf)' },
  ]);
  expect((await services.runs.list(owner, { sessionId: id })).items).toEqual([]);
  // The sender is the person who would be asked.
  await send(owner, 'make install && ./deploy');
  await send(owner, 'ls', { allowedTools: ['Bash(ls)'] });
  await expect(send(owner, 'ls', { disallowedTools: ['Bash'] })).rejects.toMatchObject({
    code: 'policy_denied',
  });
  await expect(send(owner, 'ls', { allowedTools: ['Read'] })).rejects.toMatchObject({
    code: 'policy_denied',
  });
  await services.rules.putForSession(owner, id, rules({ deny: ['Bash(ls)'] }));
  await expect(send(owner, 'ls -la')).rejects.toMatchObject({ code: 'policy_denied' });
  // Nobody learns the rules of a session that they cannot see.
  const taro = await person(rig, 'taro');
  const before = (await denials()).length;
  await expect(send(taro, 'ls -la')).rejects.toMatchObject({ code: 'not_found' });
  expect(await denials()).toHaveLength(before);
});

test('[P3] a channel on which nobody can be asked refuses what needs approval', async () => {
  const { services, rig, id, owner, send } = await sessionRig();
  const line = await person(rig, 'chat', { channel: 'line' });
  await services.shares.put(owner, id, { shares: [{ user: 'chat', level: 'operate' }] });
  await send(line, 'git status');
  await expect(send(line, 'make install')).rejects.toMatchObject({
    code: 'policy_denied',
    details: { verdict: { decision: 'ask' } },
  });
});

test('[P3] an edited message is checked like a new one, by the rules of its channel', async () => {
  const { services, owner, send } = await sessionRig();
  const { runId } = await send(owner, 'ls');
  await expect(services.runs.edit(owner, runId, { message: 'rm -rf /' })).rejects.toMatchObject({
    code: 'policy_denied',
  });
  expect(await services.runs.edit(owner, runId, { message: 'ls -la' })).toMatchObject({
    message: 'ls -la',
  });
});

test('[P3] a message to another agent is not a command', async () => {
  const { owner, send, denials } = await sessionRig('claude');
  await send(owner, 'rm -rf build');
  expect(await denials()).toEqual([]);
});

test('[P1] the tools of a message are rules', async () => {
  const { owner, send } = await sessionRig('claude');
  await send(owner, 'hello', { allowedTools: ['Read', 'Bash(git status)', 'mcp__box'] });
  for (const field of ['allowedTools', 'disallowedTools']) {
    await expect(send(owner, 'hello', { [field]: ['Read', 'rm -rf'] })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { field: `${field}.1` },
    });
  }
});

test('[P4] a secret in a refused command is masked in its event', async () => {
  const secret = SECRETS[0]?.secret as string;
  const { owner, send, denials } = await sessionRig();
  await expect(send(owner, `rm -rf ${secret}`)).rejects.toMatchObject({ code: 'policy_denied' });
  expect(JSON.stringify(await denials())).not.toContain(secret);
});

test('[P1] a rule for the home directory matches files there, and nothing else', async () => {
  const { services, owner, id } = await sessionRig('claude');
  await services.rules.putForSession(
    owner,
    id,
    rules({ allow: ['Read'], deny: ['Read(~/.ssh/**)'] }),
  );
  const decided = async (tool: string, input: Record<string, string>) =>
    (await services.rules.test(owner, { tool, input, channel: 'api', sessionId: id })).decision;
  expect(await decided('Read', { file_path: `${homedir()}/.ssh/id` })).toBe('deny');
  expect(await decided('Read', { file_path: '/srv/readme' })).toBe('allow');
  expect(await decided('Bash', { command: 'cat ~/.ssh/id' })).toBe('deny');
});
