import { describe, expect, test } from 'vitest';
import type { CreatedToken, Right } from '../../src/contract/access.ts';
import type { Channel } from '../../src/contract/message.ts';
import type { Session } from '../../src/contract/session.ts';
import { ADMIN_TOKEN, accessRig, type Database } from './access-matrix-rig.ts';

const RULES = {
  allow: [],
  ask: [],
  deny: ['Bash(git push)', 'Write'],
  enforced: ['Bash(git push)'],
};
const PUSH = 'git push origin main';
const DENIED = { status: 403, body: { error: { code: 'policy_denied' } } };

async function rigOf(database: Database) {
  const rig = await accessRig(database);
  const asking =
    (token: string) =>
    async <T = Session>(method: string, path: string, body?: object) => {
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
  const rights: Right[] = ['read', 'run', 'account'];
  const person = async (name: string, channel: Channel) => {
    const userId = await rig.user(name, 'operator');
    const { token } = await rig.token(userId, rights, { channel });
    return { userId, ask: asking(token) };
  };
  const session = async (ask: ReturnType<typeof asking>, more: object = {}) =>
    (
      await ask('POST', '/sessions', {
        name: `s ${Math.random()}`,
        agent: { kind: 'shell' },
        ...more,
      })
    ).body.id;
  return { rig, admin: asking(ADMIN_TOKEN), asking, person, session };
}

describe.each<Database>(['sqlite', 'postgres'])('on %s', (database) => {
  test('[P1] an enforced deny binds an operator whatever the session allows', async () => {
    const { admin, person, session } = await rigOf(database);
    const { ask } = await person('hanako', 'web');
    for (const scope of ['global', 'channels/web']) {
      expect((await admin('PUT', `/policies/${scope}`, RULES)).body).toEqual(RULES);
      const id = await session(ask);
      const own = await ask('PUT', `/sessions/${id}/policy`, { allow: ['*'] });
      expect(own).toMatchObject({ status: 200, body: { allow: ['*'] } });
      const path = `/sessions/${id}/messages`;
      expect(await ask('POST', path, { message: PUSH })).toMatchObject({
        status: 403,
        body: { error: { details: { verdict: { enforced: true, rule: 'Bash(git push)' } } } },
      });
      // The session can still override what is not enforced.
      const write = { tool: 'Write', input: { file_path: 'a' }, channel: 'web', sessionId: id };
      expect((await ask('POST', '/policies/test', write)).body).toMatchObject({
        decision: 'allow',
      });
      const test = { ...write, tool: 'Bash', input: { command: PUSH } };
      expect((await ask('POST', '/policies/test', test)).body).toMatchObject({
        decision: 'deny',
        enforced: true,
      });
      await admin('PUT', `/policies/${scope}`, { ...RULES, enforced: [] });
      expect(await ask('POST', path, { message: PUSH })).toMatchObject({ status: 202 });
      await admin('PUT', `/policies/${scope}`, {});
    }
  });

  test('[P1] sessions cannot enforce rules, and only admins can enforce them elsewhere', async () => {
    const { admin, person, session } = await rigOf(database);
    const { ask } = await person('hanako', 'web');
    const id = await session(ask);
    expect(await ask('PUT', `/sessions/${id}/policy`, RULES)).toMatchObject({ status: 400 });
    expect(await ask('PUT', '/policies/global', RULES)).toMatchObject({ status: 403 });
    expect(await admin('PUT', '/policies/global', { ...RULES, enforced: ['Read'] })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'enforced.0' } } },
    });
    expect((await ask('GET', '/policies/global')).body).toMatchObject({ enforced: [] });
  });

  test('[P1] what an agent is configured to start is judged when it is configured', async () => {
    const { admin, person, session } = await rigOf(database);
    const { ask } = await person('hanako', 'web');
    const deny = ['Bash(touch)', 'WebFetch(domain:evil.example)'];
    const before = await session(ask, { agent: { kind: 'shell', command: ['touch', 'P'] } });
    await admin('PUT', '/policies/channels/web', { deny });
    const agents: [field: string, agent: object][] = [
      ['agent.command', { kind: 'shell', command: ['/bin/sh', '-c', 'touch P'] }],
      ['agent.mcpServers.x', { mcpServers: { x: { command: 'sh', args: ['-c', 'touch P'] } } }],
      ['agent.mcpServers.x', { mcpServers: { x: { type: 'sse', url: 'https://a.evil.example' } } }],
    ];
    for (const [field, agent] of agents) {
      const refused = await ask('POST', '/sessions', { name: 'refused', agent });
      expect(refused).toMatchObject(DENIED);
      expect(refused.body).toMatchObject({ error: { details: { field } } });
    }
    const fork = await ask('POST', `/sessions/${before}/fork`, { name: 'a fork' });
    expect(fork).toMatchObject(DENIED);
    const { body } = await ask<Session[]>('GET', '/sessions');
    expect(body.map(({ id }) => id)).toEqual([before]);
    // The person who configures it is the one who would be asked.
    const asked = { name: 'asked', agent: { mcpServers: { x: { command: 'files-server' } } } };
    expect(await ask('POST', '/sessions', asked)).toMatchObject({ status: 201 });
  });

  test('[P1] [P3] a message is judged together with the command whose last argument it is', async () => {
    const { person, session } = await rigOf(database);
    const { ask } = await person('hanako', 'web');
    const id = await session(ask, { agent: { kind: 'shell', command: ['rm', 'build'] } });
    const path = `/sessions/${id}/messages`;
    expect(await ask('POST', path, { message: '-rf' })).toMatchObject(DENIED);
    const narrowed = { message: 'dist', allowedTools: ['Bash(dist)'] };
    expect(await ask('POST', path, narrowed)).toMatchObject({ status: 202 });
  });

  test('[P1] a token for another channel is bound by what its creator’s channel enforces', async () => {
    const { admin, asking, person, session } = await rigOf(database);
    const { ask, userId } = await person('hanako', 'web');
    const makes = async (by: typeof ask, body: object) => {
      const scopes = ['read', 'run', 'account'];
      const made = await by<CreatedToken>('POST', '/tokens', { name: 'made', scopes, ...body });
      expect(made.status).toBe(201);
      return asking(made.body.token);
    };
    const cli = await makes(ask, { channel: 'cli' });
    const api = await makes(cli, { channel: 'api' });
    const free = await makes(admin, { channel: 'cli', userId });
    await admin('PUT', '/policies/channels/web', RULES);
    const id = await session(ask);
    const path = `/sessions/${id}/messages`;
    const push = (by: typeof ask) => by('POST', path, { message: PUSH });
    expect(await push(cli)).toMatchObject(DENIED);
    expect(await push(api)).toMatchObject(DENIED);
    expect(await push(free)).toMatchObject({ status: 202 });
    // Rules that are not enforced bind only requests through that channel.
    await admin('PUT', '/policies/channels/web', { ...RULES, enforced: [] });
    expect(await push(ask)).toMatchObject(DENIED);
    expect(await push(cli)).toMatchObject({ status: 202 });
  });
});
