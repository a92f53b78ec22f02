import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../src/contract/values/json.ts';
import {
  answer,
  asked,
  bash,
  claudeServerRig,
  ended,
  payloadsOf,
  say,
} from './claude-session-rig.ts';

const IFS = `$${'{IFS}'}`;

/** Each creates a file in a part of the command that looks like a secret. */
const HIDING = [
  ': "-----BEGIN PRIVATE KEY-----"; touch FILE; : "-----END PRIVATE KEY-----"',
  'echo # -----BEGIN PRIVATE KEY-----\ntouch FILE',
  'echo --password "x$(touch FILE)" -e "select 1"',
  'echo "{\\"password\\": \\"x$(touch FILE)\\"}"',
  `DB_PASSWORD="${'a1'.repeat(35)}$(touch FILE)" true`,
  `echo http://a:x$(touch${IFS}FILE)@host`,
  `echo https://bob:pw;touch${IFS}FILE|cat;: @host`,
].map((command, i) => command.replace('FILE', `file-${i}`));

test('[P4] [A7] a mask hides no shell code from the approver or the log', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server);
  const run = await say(server, session, [
    ...HIDING.map((command, i) => ({ tools: [bash(command)], ...(i > 0 && { results: [{}] }) })),
    { text: 'Over.', results: [{}] },
  ]);
  for (const [i, command] of HIDING.entries()) {
    const question = await asked(server, session, run);
    const shown = (question.input as { command: string }).command;
    const syntax = (text: string): string => text.replace(/[^$`;|&<>(){}"'\\\n]/g, '');
    expect(syntax(shown)).toBe(syntax(command));
    expect(shown).toMatch(new RegExp(`touch.*file-${i}`));
    expect(question.masked).toBe(shown !== command);
    const path = `/api/v1/approvals/${question.id}/original`;
    expect(await server.call('POST', path)).toMatchObject({ input: { command } });
    await answer(server, question, { decision: 'allow' });
  }
  expect((await ended(server, run)).state).toBe('succeeded');
  expect(HIDING.map((_, i) => existsSync(join(claude.work, `file-${i}`)))).toEqual(
    HIDING.map(() => true),
  );
  const log = JSON.stringify([
    await payloadsOf(server, session, 'agent.tool_use'),
    await payloadsOf(server, session, 'approval.requested'),
  ] as Json);
  for (const i of HIDING.keys()) {
    expect(log.match(new RegExp(`touch[^,]*file-${i}`, 'g'))).toHaveLength(2);
  }
});
