import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { ABSENT, compatRig, error } from './compat-rig.ts';

/* The session-workspace API, in the order of its tables. */

const SESSION_RESPONSE = {
  id: expect.any(String),
  name: 'test-session',
  description: '',
  status: 'PENDING',
  tags: ['python'],
  templateConfig: null,
  createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
};

const BODY = { name: 'test-session', tags: ['python'], agent: { kind: 'shell' } };

test('[H1] S2 GET /api/v1/sessions is a plain list', async () => {
  const { ask, ready } = await compatRig();
  expect(await ask('GET', '/api/v1/sessions')).toEqual({ status: 200, body: [] });
  const id = await ready('one');
  expect(await ask('GET', '/api/v1/sessions')).toMatchObject({ status: 200, body: [{ id }] });
});

test('[H1] [R095] [R113] [R149] S2 POST /api/v1/sessions returns a SessionResponse, PENDING and then ACTIVE', async () => {
  const { ask } = await compatRig();
  const made = await ask('POST', '/api/v1/sessions', BODY);
  expect(made).toMatchObject({ status: 201, body: SESSION_RESPONSE });
  const path = `/api/v1/sessions/${made.body.id}`;
  await until(async () => (await ask('GET', path)).body.status === 'ACTIVE');
});

test('[H1] S2 GET /api/v1/sessions/{id} returns the same SessionResponse', async () => {
  const { ask } = await compatRig();
  const { id } = (await ask('POST', '/api/v1/sessions', BODY)).body;
  expect(await ask('GET', `/api/v1/sessions/${id}`)).toMatchObject({
    status: 200,
    body: { ...SESSION_RESPONSE, id, status: expect.any(String) },
  });
  expect(await ask('GET', `/api/v1/sessions/${ABSENT}`)).toMatchObject(error('not_found', 404));
});

test('[H1] S2 PUT /api/v1/sessions/{id} changes it', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('before');
  const changed = await ask('PUT', `/api/v1/sessions/${id}`, {
    name: 'after',
    description: 'about',
    tags: ['kotlin'],
  });
  expect(changed).toMatchObject({
    status: 200,
    body: { id, name: 'after', description: 'about', tags: ['kotlin'] },
  });
});

test('[H1] S2 DELETE /api/v1/sessions/{id} is 204 without a body', async () => {
  const { ask, open, ready } = await compatRig();
  const id = await ready('gone');
  const deleted = await open('DELETE', `/api/v1/sessions/${id}`);
  expect([deleted.status, await deleted.text(), deleted.headers.get('content-type')]).toEqual([
    204,
    '',
    null,
  ]);
  expect(await ask('GET', `/api/v1/sessions/${id}`)).toMatchObject(error('not_found', 404));
});

test.each(['ACTIVE', 'COMPLETED', 'TERMINATED'])(
  '[H1] S2 GET /api/v1/sessions/status/%s lists sessions with this status',
  async (status) => {
    const { ask, ready } = await compatRig();
    await ready('ACTIVE');
    await ask('POST', `/api/v1/sessions/${await ready('COMPLETED')}/complete`);
    await ask('POST', `/api/v1/sessions/${await ready('TERMINATED')}/terminate`);
    const listed = await ask('GET', `/api/v1/sessions/status/${status}`);
    expect(listed).toMatchObject({ status: 200, body: [{ name: status, status }] });
    expect(listed.body).toHaveLength(1);
  },
);

test('[H1] S2 GET /api/v1/sessions/status/PENDING lists sessions whose workspace is being prepared', async () => {
  const { ask, session } = await compatRig({ executes: false });
  const { id } = await session('making');
  expect(await ask('GET', '/api/v1/sessions/status/PENDING')).toMatchObject({
    status: 200,
    body: [{ id, status: 'PENDING' }],
  });
  expect((await ask('GET', `/api/v1/sessions/${id}/workspaces`)).body).toMatchObject([
    { status: 'pending', health: 'unknown' },
  ]);
});

test('[H1] S2 GET /api/v1/sessions/status/… accepts no other status', async () => {
  const { ask } = await compatRig();
  expect(await ask('GET', '/api/v1/sessions/status/RUNNING')).toMatchObject(
    error('invalid_request', 400),
  );
});

test('[H1] S2 GET /api/v1/sessions/search?name= finds sessions by part of their name', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('my project');
  await ready('another');
  expect(await ask('GET', '/api/v1/sessions/search?name=proj')).toMatchObject({
    status: 200,
    body: [{ id }],
  });
  expect((await ask('GET', '/api/v1/sessions/search?name=none')).body).toEqual([]);
});

test('[H1] S2 GET /api/v1/sessions/tag/{tag} finds sessions by tag', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('tagged', { tags: ['python', 'web'] });
  await ready('other', { tags: ['java'] });
  const listed = await ask('GET', '/api/v1/sessions/tag/python');
  expect(listed).toMatchObject({ status: 200, body: [{ id, tags: ['python', 'web'] }] });
  expect(listed.body).toHaveLength(1);
});

test('[S2] S2 PUT /api/v1/sessions/{id}/status is 403, with the text of the document', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('mine');
  expect(await ask('PUT', `/api/v1/sessions/${id}/status`, { status: 'COMPLETED' })).toEqual({
    status: 403,
    body: {
      error: 'Status updates are not allowed',
      message: 'Session status is managed automatically by the system',
    },
  });
  expect((await ask('GET', `/api/v1/sessions/${id}`)).body.status).toBe('ACTIVE');
});

test('[H1] [R114] [R149] S2 GET /api/v1/sessions/{id}/workspaces is a list of CoderWorkspaceResponse', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('my-project');
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(await ask('GET', `/api/v1/sessions/${id}/workspaces`)).toEqual({
    status: 200,
    body: [
      {
        id,
        name: 'my-project',
        ownerId: 'admin',
        ownerName: 'admin',
        templateId: 'directory',
        templateName: 'directory',
        status: 'running',
        health: 'healthy',
        accessUrl: null,
        autoStart: false,
        lastUsedAt: time,
        createdAt: time,
        updatedAt: time,
      },
    ],
  });
  expect(await ask('GET', `/api/v1/sessions/${ABSENT}/workspaces`)).toMatchObject(
    error('not_found', 404),
  );
});

test('[W6] S2 POST /api/v1/sessions/{id}/sync-status returns the documented shape', async () => {
  const { ask, ready } = await compatRig();
  const id = await ready('my-project');
  const synced = await ask('POST', `/api/v1/sessions/${id}/sync-status`);
  expect(synced).toEqual({
    status: 200,
    body: {
      sessionId: id,
      sessionStatus: 'ACTIVE',
      workspaceCount: 1,
      workspaces: [{ id, name: 'my-project', status: 'running', health: 'healthy' }],
      syncedAt: expect.any(Number),
    },
  });
  expect(Math.abs(synced.body.syncedAt - Date.now())).toBeLessThan(60_000);
  expect(await ask('POST', `/api/v1/sessions/${ABSENT}/sync-status`)).toMatchObject(
    error('not_found', 404),
  );
});

test('[W6] S2 sync-status creates a missing workspace, and leaves an ended session alone', async () => {
  const { ask, ready, store } = await compatRig();
  const id = await ready('lost');
  const path = (await store.getSession(id))?.session.workspacePath ?? '';
  rmSync(path, { recursive: true });
  await ask('POST', `/api/v1/sessions/${id}/sync-status`);
  expect(existsSync(path)).toBe(true);
  await ask('POST', `/api/v1/sessions/${id}/terminate`);
  rmSync(path, { recursive: true });
  expect((await ask('POST', `/api/v1/sessions/${id}/sync-status`)).body).toMatchObject({
    sessionStatus: 'TERMINATED',
    workspaces: [{ status: 'stopped', health: 'unknown' }],
  });
  expect(existsSync(path)).toBe(false);
});

test('[W6] S2 sync-status says so if the workspace cannot be created', async () => {
  const { ask, session } = await compatRig();
  const { id } = await session('nowhere', { workspace: { path: '/nowhere-at-all' } });
  expect((await ask('POST', `/api/v1/sessions/${id}/sync-status`)).body).toMatchObject({
    sessionStatus: 'ERROR',
    workspaces: [{ status: 'failed', health: 'unhealthy' }],
  });
});
