import { expect, test } from 'vitest';
import { claudeHouse, ended } from './claude-session-rig.ts';
import { scripted } from './model-server/script.ts';

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('[A11] a picture, a file and nearly a megabyte of Japanese over HTTP reach the model as they are', async () => {
  const house = await claudeHouse();
  const server = await house.server();
  const session = await house.session(server, '絵を見る');
  const text = 'この絵を見てください。🌏'.repeat(26_000);
  const attachments = [
    { name: '写真.png', mediaType: 'image/png', data: PNG },
    { name: 'メモ.txt', mediaType: 'text/plain', data: Buffer.from('牛乳').toString('base64') },
  ];
  const message = `${text}${scripted([{ text: '見ました。' }])}`;
  const run = await ended(server, await server.send(session.id, message, { attachments }));
  expect(run).toMatchObject({ state: 'succeeded', result: { text: '見ました。' } });
  const blocks = house.model.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [];
  expect(blocks.filter(({ type }) => type === 'image')).toMatchObject([
    { source: { type: 'base64', media_type: 'image/png', data: PNG } },
  ]);
  const shown = blocks.map((block) => block.text ?? '').join('');
  expect(shown).toContain(text);
  expect(shown).toContain(`- メモ.txt: .baton/attachments/${run.id}/メモ.txt`);
});
