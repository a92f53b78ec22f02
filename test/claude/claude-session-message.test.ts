import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scripted } from '../model-server/script.ts';
import { root } from '../support/processes.ts';
import { answer, asked, claudeServerRig, ended } from './claude-session-rig.ts';

/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('[A11] [A12] a picture, a file, nearly a megabyte of Japanese and an MCP server, over HTTP', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const echo = {
    command: process.execPath,
    args: [join(root, 'test/fixtures/mcp-server.mjs')],
    env: { PREFIX: 'said: ' },
  };
  const agent = { kind: 'claude', systemPrompt: '短く答えてください。', mcpServers: { echo } };
  const session = await claude.session(server, '絵を見る', { agent });
  const text = 'この絵を見てください。🌏'.repeat(26_000);
  const attachments = [
    { name: '写真.png', mediaType: 'image/png', data: PNG },
    { name: 'メモ.txt', mediaType: 'text/plain', data: Buffer.from('牛乳').toString('base64') },
  ];
  const steps = [
    { tools: [{ name: 'mcp__echo__echo', input: { text: '絵' } }] },
    { text: '見ました。', results: [{ includes: 'said: 絵' }] },
  ];
  const id = await server.send(session.id, `${text}${scripted(steps)}`, { attachments });
  const question = await asked(server, session, id);
  expect(question).toMatchObject({ tool: 'mcp__echo__echo', input: { text: '絵' } });
  await answer(server, question, { decision: 'allow' });
  const run = await ended(server, id);
  expect(run).toMatchObject({ state: 'succeeded', result: { text: '見ました。' } });
  expect(JSON.stringify(claude.model.requests.at(-1)?.system)).toContain('短く答えてください。');
  const blocks = claude.model.requests.at(-1)?.messages.flatMap(({ content }) => content) ?? [];
  expect(blocks.filter(({ type }) => type === 'image')).toMatchObject([
    { source: { type: 'base64', media_type: 'image/png', data: PNG } },
  ]);
  const shown = blocks.map((block) => block.text ?? '').join('');
  expect(shown).toContain(text);
  expect(shown).toContain(`- メモ.txt: .baton/attachments/${run.id}/メモ.txt`);
});
