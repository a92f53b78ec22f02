import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { RunView } from '../../src/contract/run-view.ts';
import { Desk } from '../cli/cli-rig.ts';
import { TOKEN } from '../support/server-rig.ts';

test('[A11] [C1] [H9] baton run --attach sends files, within the limits of its route', async () => {
  const desk = new Desk();
  const server = await desk.server({ env: { BATON_ADMIN_TOKEN: TOKEN } });
  const env = { BATON_TOKEN: TOKEN };
  writeFileSync(desk.path('one.txt'), 'first ');
  writeFileSync(desk.path('two.txt'), 'second');
  const files = ['--attach', desk.path('one.txt'), '--attach', desk.path('two.txt')];
  const cat = 'cat .baton/attachments/*/one.txt .baton/attachments/*/two.txt';
  const ran = await desk.done(['run', '--agent', 'shell', '--name', 'files', ...files, cat], env);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('first second') });
  const { items } = await server.call<{ items: RunView[] }>('GET', '/api/v1/runs');
  expect(items).toMatchObject([
    {
      sender: 'admin',
      attachments: [
        { name: 'one.txt', bytes: 6 },
        { name: 'two.txt', bytes: 6 },
      ],
    },
  ]);
  const none = await desk.done(['send', 'files', '--attach', desk.path('none'), 'true'], env);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('could not be read') });

  const { id } = await server.session('limits');
  const post = async (path: string, body: object): Promise<[number, unknown]> => {
    const answer = await server.fetch('POST', path, body);
    const { error } = (await answer.json()) as { error?: { details?: unknown } };
    return [answer.status, error?.details];
  };
  const messages = `/api/v1/sessions/${id}/messages`;
  const large = 'A'.repeat(27 * 1024 * 1024);
  expect(
    await post(messages, { message: 'true', attachments: [{ name: 'a', data: large }] }),
  ).toEqual([413, { field: 'attachments' }]);
  expect((await post(messages, { message: `${large}${large}` }))[0]).toBe(413);
  expect((await post('/api/v1/sessions', { name: large.slice(0, 2 * 1024 * 1024) }))[0]).toBe(413);
  expect(
    await post(messages, { message: 'true', attachments: [{ name: 'a', data: '?' }] }),
  ).toEqual([400, { field: 'attachments.0.data' }]);
  const many = Array.from({ length: 11 }, () => ({ name: 'a', data: '' }));
  expect(await post(messages, { message: 'true', attachments: many })).toEqual([
    400,
    { field: 'attachments' },
  ]);
});
