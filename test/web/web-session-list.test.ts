import { expect, test, vi } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { conversationRig } from './web-conversation-rig.ts';

vi.setConfig({ testTimeout: 180_000 });
const chromium = browser();

test('[C2] [S1] [S3] reading a session is not shown as activity, a message is; leaving its page disconnects', async () => {
  const at = await conversationRig(chromium());
  const { server } = at;
  const session = (id: string) => server.call<Session>('GET', `/api/v1/sessions/${id}`);
  const make = async (name: string): Promise<Session> => {
    const made = await server.call<Session>('POST', '/api/v1/sessions', {
      name,
      agent: { kind: 'shell' },
    });
    await server.call('POST', `/api/v1/sessions/${made.id}/messages`, { message: 'true' });
    await until(async () => (await session(made.id)).lastOutputAt !== null, { ms: 30_000 });
    return session(made.id);
  };
  const older = await make('Überprüfung #1');
  const newer = await make('Проверка v2.0');
  const talk = await at.open(older);
  const rows = talk.page.getByRole('navigation', { name: 'Sessions' }).getByRole('link');
  const order = async () =>
    (await rows.allInnerTexts()).map((text) => text.split('\n').find((line) => line.includes(' ')));
  await talk.page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
  await until(async () => (await session(older.id)).activeConnections > 0, { ms: 30_000 });
  expect(await session(older.id)).toMatchObject({
    status: 'ACTIVE',
    lastActiveAt: older.lastActiveAt,
  });
  expect(await order()).toEqual([newer.name, older.name]);
  const running = at.blockingCommand('running');
  await talk.say(running.command);
  await running.started();
  await until(async () => (await order())[0] === older.name, { ms: 30_000 });
  await talk.page.getByRole('status').getByText('Running', { exact: true }).waitFor();
  running.release();
  await talk.page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
  await rows.filter({ hasText: newer.name }).click();
  await until(async () => (await session(newer.id)).activeConnections > 0, { ms: 30_000 });
  await until(async () => (await session(older.id)).activeConnections === 0, { ms: 30_000 });
  await talk.page.goto(`${server.url}/`);
  await rows.first().waitFor();
  expect(await order()).toEqual([older.name, newer.name]);
  expect(talk.complaints).toEqual([]);
});
