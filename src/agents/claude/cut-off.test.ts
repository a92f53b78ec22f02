import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Talk } from '../../../test/claude/claude-rig.ts';
import { agentRig, unmasked } from '../../../test/support/agent-rig.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { OLDEST_VERSION } from './version.ts';

const line = (value: object) => `echo '${JSON.stringify(value)}'`;
const resultOf = (id: string, failed: boolean) =>
  line({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: failed, content: '' }] },
  });
const use = (id: string) => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input: { command: 'git push' },
});

test('[Q16] what an agent reports about a stopped call is not its result', async () => {
  const path = join(temporaryDirectory(), 'claude');
  const program = [
    '#!/bin/sh',
    'read -r message',
    line({ type: 'system', subtype: 'init', session_id: 'c', claude_code_version: OLDEST_VERSION }),
    line({ type: 'assistant', message: { content: ['1', '2', '3'].map(use) } }),
    resultOf('1', true),
    'read -r interrupt',
    resultOf('2', false),
    resultOf('3', true),
    line({ type: 'result', subtype: 'error_during_execution', is_error: true }),
  ];
  writeFileSync(path, `${program.join('\n')}\n`);
  chmodSync(path, 0o755);
  const stop = new AbortController();
  const talk = new Talk(
    {
      agent: { kind: 'claude' },
      message: 'push',
      conversation: null,
      maskStream: unmasked,
      runtime: agentRig().runtime(),
      signal: stop.signal,
    },
    { program: path },
  );
  await talk.until(() => talk.payloads('agent.tool_result').length === 1);
  stop.abort();
  expect((await talk.ended()).outcome).toEqual({ kind: 'stopped' });
  const results = talk.payloads('agent.tool_result').map(({ id, ok, cutOff }) => [id, ok, cutOff]);
  expect(results).toEqual([
    ['1', false, undefined],
    ['2', true, undefined],
    ['3', false, true],
  ]);
});
