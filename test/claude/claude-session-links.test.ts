import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, asked, claudeServerRig, ended, payloadsOf, say } from './claude-session-rig.ts';

test('[P2] [P7] Claude Code gets through no link, however its name is spelled', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server);
  const outside = join(claude.home, 'outside');
  mkdirSync(outside);
  // In decomposed characters, as Claude Code opens it.
  symlinkSync(join(claude.dataDir, 'secret-key'), join(claude.work, 'ke\u0301y'));
  symlinkSync(outside, join(claude.work, 'ou\u0301t'));
  const path = join(claude.work, 'ou\u0301t', 'written');
  const run = await say(server, session, [
    { tools: [{ name: 'Read', input: { file_path: join(claude.work, 'ke\u0301y') } }] },
    {
      tools: [{ name: 'Write', input: { file_path: path, content: 'x' } }],
      results: [{ error: true }],
    },
    { text: 'Over.', results: [{ error: true }] },
  ]);
  const question = await asked(server, session, run);
  expect(question).toMatchObject({ tool: 'Write', input: { file_path: path } });
  await answer(server, question, { decision: 'deny', message: 'no' });
  expect((await ended(server, run)).state).toBe('succeeded');
  expect(await payloadsOf(server, session, 'policy.denied')).toMatchObject([{ tool: 'Read' }]);
  expect(existsSync(join(outside, 'written'))).toBe(false);
  const key = readFileSync(join(claude.dataDir, 'secret-key'), 'utf8').trim();
  expect(JSON.stringify(claude.model.requests)).not.toContain(key.slice(0, 20));
});
