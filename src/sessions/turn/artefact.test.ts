import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { OLDEST_VERSION } from '../../agents/claude/version.ts';
import { SESSION_EVENTS } from '../../contract/session-event.ts';

test('[E5] a result too long for its event can be read in full while its session exists', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const content = `${'all of it, 全部\n'.repeat(20_000)}${token}`;
  const rig = await serviceRig({ claudePath: saying(content) });
  const { id } = await rig.session('long', { agent: { kind: 'claude' } });
  expect(await rig.finished(await rig.send(id, 'hello'))).toMatchObject({ state: 'succeeded' });
  const events = await rig.store.listAfter(id, 0, 1000);
  const result = events.find(({ type }) => type === 'agent.tool_result');
  const emitted = SESSION_EVENTS['agent.tool_result'].parse(result?.payload);
  const masked = content.replace(token, '***GITHUB_TOKEN***');
  expect(emitted).toMatchObject({
    truncated: true,
    artefact: { bytes: Buffer.byteLength(masked) },
  });
  expect(masked.startsWith(emitted.text)).toBe(true);
  const name = emitted.artefact?.name ?? '';
  expect(await textOf(await rig.services.workspaces.artefact(ADMIN, id, name))).toBe(masked);
  await expect(rig.services.workspaces.artefact(ADMIN, id, 'other.txt')).rejects.toMatchObject({
    code: 'not_found',
  });

  await rig.services.sessions.remove(ADMIN, id);
  expect(existsSync(join(rig.dataDir, 'artefacts', id))).toBe(false);
  await expect(rig.services.workspaces.artefact(ADMIN, id, name)).rejects.toMatchObject({
    code: 'not_found',
  });
});

/** Like Claude Code with a tool that returned this. */
function saying(content: string): string {
  const folder = temporaryDirectory();
  const lines = [
    {
      type: 'system',
      subtype: 'init',
      session_id: 'c0ffee00-0000-4000-8000-000000000000',
      claude_code_version: OLDEST_VERSION,
    },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'call', name: 'Read', input: {} }] },
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'call', content }] },
    },
    { type: 'result', subtype: 'success', is_error: false, result: 'Done.' },
  ];
  const said = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(folder, 'lines'), said);
  const path = join(folder, 'claude');
  writeFileSync(path, `#!/bin/sh\nexec cat ${join(folder, 'lines')}\n`, { mode: 0o755 });
  return path;
}
