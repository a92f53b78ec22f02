import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Invocation } from '../../src/contract/run-view.ts';
import { casesOf } from '../support/depth.ts';
import { until } from '../support/until.ts';
import {
  claudeHouse,
  counts,
  done,
  ended,
  FIRST,
  killed,
  making,
  PATIENCE,
  parts,
  say,
  told,
  untilTold,
  whole,
} from './claude-session-rig.ts';

const inText = casesOf([...parts, 'all at once'], ['all at once']);
describe.each(inText)('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('in the middle of a text: it goes on in its conversation', async () => {
    const place = await killed(part);
    const { session, house } = place;
    const steps = [{ text: 'Half a text.', holdEnd: 'text' }];
    const run = await say(place.server, session, steps);
    await house.model.arrived('text');
    await untilTold(place.server, session, 'agent.delta', ({ text }) => text === 'Half a text.');
    await place.kill();
    house.model.release('text');
    expect(await ended(place.server, run)).toMatchObject({
      state: 'succeeded',
      ...counts(part),
    });
    expect(await told(place.server, session, 'run.retry_diff')).toEqual([]);
    await whole(place, run, [FIRST, 'Half a text.']);
    if (part !== 'Claude Code') return;
    // What it had used is counted from its stream, as far as it came.
    const path = `/api/v1/runs/${run}/invocations`;
    const { items } = await place.server.call<{ items: Invocation[] }>('GET', path);
    expect(items[0]).toMatchObject({
      error: { class: 'agent_crash', message: expect.stringContaining('SIGKILL') },
      signal: 'SIGKILL',
      inputTokens: 10,
      costSource: 'estimated',
    });
  });
});

describe.each(casesOf(parts, ['the worker']))('[Q7] [A3] kill -9 of %s', (part) => {
  test('[Q16] between a call and the next word: what was done is told, and it goes on', async () => {
    const place = await killed(part);
    const { session, house } = place;
    const path = `/api/v1/sessions/${session.id}/policy`;
    await place.server.call('PUT', path, { allow: ['Bash'] });
    const steps = [{ tools: [making('made')] }, { text: 'Made it.', hold: 'word' }];
    const run = await say(place.server, session, steps);
    await house.model.arrived('word');
    await untilTold(place.server, session, 'agent.tool_result');
    await place.kill();
    house.model.release('word');
    expect(await ended(place.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
    expect(await told(place.server, session, 'run.retry_diff')).toMatchObject([
      { files: [{ path: 'made', change: 'added' }] },
    ]);
    await whole(place, run, [FIRST, 'install /dev/null made', 'Made it.']);
  });
});

test('[A3] kill -9 in the first run before any tool: it begins anew by itself', async () => {
  const house = await claudeHouse();
  const server = await house.server();
  const agent = { kind: 'claude', systemPrompt: 'Be brief.' };
  const session = await house.session(server, 'a claude', { agent });
  const run = await say(server, session, [{ text: 'Half a text.', holdEnd: 'text' }]);
  await house.model.arrived('text');
  await untilTold(server, session, 'agent.init');
  const [node = ''] = readdirSync(join(house.dataDir, 'private'));
  expect(readdirSync(join(house.dataDir, 'private', node))).toHaveLength(1);
  await server.kill();
  await until(() => !existsSync(join(house.dataDir, 'private', node)), PATIENCE);
  const again = await house.server();
  house.model.release('text');
  expect(await ended(again, run)).toMatchObject({ state: 'succeeded', crashes: 1 });
  await done(again, session, [{ text: 'Here.' }]);
  const [first, second, third] = house.starts();
  expect([first?.how, second?.how, third?.how]).toEqual([
    '--session-id',
    '--session-id',
    '--resume',
  ]);
  expect(first?.conversation).not.toBe(second?.conversation);
  expect(third?.conversation).toBe(second?.conversation);
  expect(house.shown()).toContain('Half a text.');
  expect(house.transcript(second?.conversation ?? '').length).toBeGreaterThan(0);
});
