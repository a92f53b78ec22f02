import { expect, test } from 'vitest';
import { agentRig, unmasked } from '../../../test/support/agent-rig.ts';
import type { Turn } from '../driver.ts';
import { asText, contentOf } from './prompt.ts';

const turn = (message: string): Turn => ({
  agent: { kind: 'claude' },
  message,
  conversation: null,
  maskStream: unmasked,
  runtime: agentRig().runtime(),
  signal: new AbortController().signal,
});

test.each([
  ['/config permissionMode=acceptEdits', ' /config permissionMode=acceptEdits'],
  ['/config\npermissionMode=acceptEdits', ' /config\npermissionMode=acceptEdits'],
  ['/heapdump', ' /heapdump'],
  ['/clearance', ' /clearance'],
  ['/etc/hosts is wrong', ' /etc/hosts is wrong'],
  ['/compact', '/compact'],
  ['/clear', '/clear'],
  ['/compact keep the tests', '/compact keep the tests'],
  ['look at /config', 'look at /config'],
  ['', ''],
])('[P3] a command to Claude Code itself is only text: %j', async (message, given) => {
  expect(asText(message)).toBe(given);
  expect(await contentOf(turn(message))).toBe(given);
});

test('[P3] also beside files', async () => {
  const attachments = [{ name: 'a.txt', path: 'a.txt', mediaType: 'text/plain' }];
  expect(await contentOf({ ...turn('/config x=y'), attachments })).toEqual([
    { type: 'text', text: expect.stringMatching(/^ \/config/) },
  ]);
});
