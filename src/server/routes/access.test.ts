import { expect, test } from 'vitest';
import { ADMIN_TOKEN, accessRig } from '../../../test/access/access-matrix-rig.ts';
import { createClient } from '../../client/client.ts';
import { AuditEntry } from '../../contract/audit.ts';

async function rig() {
  const { url, store } = await accessRig();
  const as = (token: string) => createClient({ url, token });
  const admin = as(ADMIN_TOKEN);
  /** A new user with a token. */
  const person = async (name: string, role: 'viewer' | 'operator' = 'operator') => {
    const user = await admin.createUser({ body: { name, role } });
    const token = await admin.createToken({
      body: {
        name: 'first',
        userId: user.id,
        scopes: role === 'viewer' ? ['read', 'account'] : ['read', 'run', 'account'],
      },
    });
    return { user, token, client: as(token.token) };
  };
  return { url, store, admin, as, person };
}

const refused = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (error: { code: string }) => error.code,
  );

test('[H6] users can be added, listed, changed, disabled and enabled', async () => {
  const { admin, person } = await rig();
  const { user, client } = await person('hanako');
  expect(await admin.getUser({ params: { id: user.id } })).toEqual(user);
  const first = await admin.listUsers({ query: { limit: 1 } });
  expect(first.items.map(({ name }) => name)).toEqual(['admin']);
  const { items } = await admin.listUsers({ query: { cursor: first.nextCursor as string } });
  expect(items).toEqual([user]);
  expect(await client.getMe()).toEqual({
    user,
    rights: ['read', 'run', 'account'],
    channel: 'api',
  });

  const params = { id: user.id };
  expect((await admin.updateUser({ params, body: { role: 'viewer' } })).role).toBe('viewer');
  expect((await client.getMe()).rights).toEqual(['read', 'account']);
  await admin.updateUser({ params, body: { disabled: true } });
  expect(await refused(client.getMe())).toBe('unauthorized');
  await admin.updateUser({ params, body: { disabled: false } });
  expect((await client.getMe()).user.disabledAt).toBeNull();
  expect(await refused(client.listUsers())).toBe('forbidden');
  expect(await refused(admin.createUser({ body: { name: 'HANAKO' } }))).toBe('user_exists');
});

test('[H6] [X2] tokens can be created, used, listed without their secret, and revoked', async () => {
  const { client, user } = await (await rig()).person('hanako');
  const made = await client.createToken({ body: { name: 'ci', scopes: ['read'] } });
  const { items } = await client.listTokens();
  expect(items.map(({ name }) => name)).toEqual(['ci', 'first']);
  expect(JSON.stringify(items)).not.toContain(made.token);
  expect(await client.listTokens({ query: { userId: user.id, limit: 1 } })).toMatchObject({
    nextCursor: made.id,
  });
  expect(await refused(client.listTokens({ query: { userId: 'admin' } }))).toBe('not_found');
});

test('[X2] a token is invalid as soon as its revocation is answered', async () => {
  const { as, person } = await rig();
  const { client } = await person('hanako');
  for (let i = 0; i < 5; i++) {
    const { token, id } = await client.createToken({ body: { name: 'ci' } });
    expect((await as(token).getMe()).rights).toEqual(['read', 'run']);
    await client.revokeToken({ params: { id } });
    expect(await refused(as(token).getMe())).toBe('unauthorized');
  }
});

test('[P6] the audit log can be listed, filtered and exported, one entry per line', async () => {
  const { admin, person, url } = await rig();
  const { user, client, token } = await person('hanako');
  // More than one page.
  for (let i = 0; i < 205; i++) {
    const { id } = await client.createToken({ body: { name: `token ${i}` } });
    if (i === 0) await client.revokeToken({ params: { id } });
  }
  const { items } = await admin.listAudit({ query: { action: 'token.revoke' } });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    userId: user.id,
    channel: 'api',
    credential: `token:${token.id}`,
    address: '127.0.0.1',
    requestId: expect.any(String),
    before: { name: 'token 0' },
  });
  const query = { userId: user.id };
  const text = await admin.exportAudit({ query });
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => AuditEntry.parse(JSON.parse(line)));
  expect(lines).toHaveLength(206);
  expect(lines.map(({ seq }) => seq)).toEqual(
    lines.map(({ seq }) => seq).toSorted((a, b) => b - a),
  );
  expect(await admin.exportAudit({ query: { target: 'nothing' } })).toBe('');
  expect(await refused(client.listAudit())).toBe('forbidden');
  expect(await refused(client.exportAudit())).toBe('forbidden');
  const answer = await fetch(`${url}/api/v1/audit/export`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
  await answer.body?.cancel();
});

test('[H6] nodes and stats', async () => {
  const { admin, person } = await rig();
  const { client } = await person('hanako', 'viewer');
  const { items } = await admin.listNodes();
  expect(items).toEqual([expect.objectContaining({ host: 'test', alive: true, executing: 0 })]);
  expect(await refused(client.listNodes())).toBe('forbidden');
  const stats = await client.getStats();
  expect(stats.days).toHaveLength(7);
  expect(stats.runs.queued).toBe(0);
});
