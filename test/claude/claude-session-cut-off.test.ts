import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Invocation } from '../../src/contract/run-view.ts';
import { casesOf } from '../support/depth.ts';
import { until } from '../support/until.ts';
import {
  claudeServerRig,
  counts,
  crashSetup,
  done,
  ended,
  FIRST,
  making,
  PATIENCE,
  parts,
  payloadsOf,
  say,
  untilEvent,
  whole,
} from './claude-session-rig.ts';

const inText = casesOf([...parts, 'all at once'], ['all at once']);
describe.each(inText)('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('in the middle of a text: it continues its conversation', async () => {
    const setup = await crashSetup(part);
    const { session, claude } = setup;
    const steps = [{ text: 'Half a text.', holdEnd: 'text' }];
    const run = await say(setup.server, session, steps);
    await claude.model.arrived('text');
    await untilEvent(setup.server, session, 'agent.delta', ({ text }) => text === 'Half a text.');
    await setup.kill();
    claude.model.release('text');
    expect(await ended(setup.server, run)).toMatchObject({
      state: 'succeeded',
      ...counts(part),
    });
    expect(await payloadsOf(setup.server, session, 'run.retry_diff')).toEqual([]);
    await whole(setup, run, [FIRST, 'Half a text.']);
    if (part !== 'Claude Code') return;
    // Its usage is counted from the part of the stream that arrived.
    const path = `/api/v1/runs/${run}/invocations`;
    const { items } = await setup.server.call<{ items: Invocation[] }>('GET', path);
    expect(items[0]).toMatchObject({
      error: { class: 'agent_crash', message: expect.stringContaining('SIGKILL') },
      signal: 'SIGKILL',
      inputTokens: 10,
      costSource: 'estimated',
    });
  });
});

describe.each(casesOf(parts, ['the worker']))('[Q7] [A3] kill -9 of %s', (part) => {
  test('[Q16] between a call and the next text: its change is logged, and it continues', async () => {
    const setup = await crashSetup(part);
    const { session, claude } = setup;
    const path = `/api/v1/sessions/${session.id}/policy`;
    await setup.server.call('PUT', path, { allow: ['Bash'] });
    const steps = [{ tools: [making('made')] }, { text: 'Made it.', hold: 'word' }];
    const run = await say(setup.server, session, steps);
    await claude.model.arrived('word');
    await untilEvent(setup.server, session, 'agent.tool_result');
    await setup.kill();
    claude.model.release('word');
    expect(await ended(setup.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
    expect(await payloadsOf(setup.server, session, 'run.retry_diff')).toMatchObject([
      { files: [{ path: 'made', change: 'added' }] },
    ]);
    await whole(setup, run, [FIRST, 'install /dev/null made', 'Made it.']);
  });
});

test('[A3] kill -9 in the first run before any tool: it starts over by itself', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const agent = { kind: 'claude', systemPrompt: 'Be brief.' };
  const session = await claude.session(server, 'a claude', { agent });
  const run = await say(server, session, [{ text: 'Half a text.', holdEnd: 'text' }]);
  await claude.model.arrived('text');
  await untilEvent(server, session, 'agent.init');
  const [node = ''] = readdirSync(join(claude.dataDir, 'private'));
  expect(readdirSync(join(claude.dataDir, 'private', node))).toHaveLength(1);
  await server.kill();
  await until(() => !existsSync(join(claude.dataDir, 'private', node)), PATIENCE);
  const again = await claude.server();
  claude.model.release('text');
  expect(await ended(again, run)).toMatchObject({ state: 'succeeded', crashes: 1 });
  await done(again, session, [{ text: 'Here.' }]);
  const [first, second, third] = claude.starts();
  expect([first?.how, second?.how, third?.how]).toEqual([
    '--session-id',
    '--session-id',
    '--resume',
  ]);
  expect(first?.conversation).not.toBe(second?.conversation);
  expect(third?.conversation).toBe(second?.conversation);
  expect(claude.shown()).toContain('Half a text.');
  expect(claude.transcript(second?.conversation ?? '').length).toBeGreaterThan(0);
});
