import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Invocation } from '../src/contract/run-view.ts';
import {
  answer,
  approvals,
  asked,
  claudeHouse,
  done,
  ended,
  FIRST,
  killed,
  making,
  PATIENCE,
  say,
  told,
  untilTold,
  whole,
} from './claude-session-rig.ts';
import { until } from './until.ts';

/*
 * A Claude Code whose server is gone sees its input close, takes that for a refusal and goes on for
 * the moment until it is killed; so not every script says what results it expects.
 */
const parts = ['Claude Code', 'the server', 'the worker'] as const;

describe.each(parts)('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('while a question is open: the run waits on, and the answer goes on with it', async () => {
    const place = await killed(part);
    const { session, house } = place;
    const run = await say(place.server, session, [
      { tools: [making('made')] },
      { text: 'Made it.' },
    ]);
    const question = await asked(place.server, session, run);
    await place.kill();
    await untilTold(place.server, session, 'run.waiting', ({ parked }) => parked === true);
    expect((await asked(place.server, session, run)).id).toBe(question.id);
    await answer(place.server, question, { decision: 'allow' });
    expect(await ended(place.server, run)).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      crashes: 0,
    });
    expect(existsSync(join(house.work, 'made'))).toBe(true);
    expect(await approvals(place.server, session)).toHaveLength(1);
    await whole(place, run, [FIRST, 'Made it.']);
  });

  test('[Q16] while a tool writes: the change is told, and the call made again without asking', async () => {
    const place = await killed(part);
    const { session, house } = place;
    const gate = house.gate();
    const run = await say(place.server, session, [
      { tools: [gate.call] },
      { text: 'Written.', results: [{ includes: 'let go' }] },
    ]);
    await answer(place.server, await asked(place.server, session, run), { decision: 'allow' });
    await gate.begun(1);
    await place.kill();
    await gate.begun(2);
    gate.letGo();
    expect(await ended(place.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
    expect(gate.runs()).toBe(2);
    expect(await approvals(place.server, session)).toHaveLength(1);
    expect(await told(place.server, session, 'run.retry_diff')).toMatchObject([
      { files: [{ path: 'gate.runs' }] },
    ]);
    await whole(place, run, [FIRST, 'Written.']);
  });
});

describe.each([...parts, 'all at once'] as const)('[A7] [Q7] [A3] kill -9 of %s', (part) => {
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
      costSource: 'claude-partial',
    });
  });
});

describe.each(parts)('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('right after the answer: it counts, and nobody is asked again', async () => {
    const place = await killed(part);
    const { session, house } = place;
    const gate = house.gate();
    const run = await say(place.server, session, [{ tools: [gate.call] }, { text: 'Written.' }]);
    await answer(place.server, await asked(place.server, session, run), { decision: 'allow' });
    await place.kill();
    gate.letGo();
    expect((await ended(place.server, run)).state).toBe('succeeded');
    expect(await approvals(place.server, session)).toHaveLength(1);
    expect([1, 2]).toContain(gate.runs());
    await whole(place, run, [FIRST, 'Written.']);
  });

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

test('[A7] [A3] kill -9 of all at the very first question: the answer counts, in a new beginning', async () => {
  const house = await claudeHouse();
  let server = await house.server();
  const session = await house.session(server);
  const steps = [{ tools: [making('made')] }, { text: 'Made it.' }];
  const run = await say(server, session, steps);
  const question = await asked(server, session, run);
  process.kill(house.starts().at(-1)?.pid ?? 0, 'SIGKILL');
  await server.kill();
  server = await house.server();
  await answer(server, question, { decision: 'allow' });
  expect(await ended(server, run)).toMatchObject({ state: 'succeeded', attempts: 1, crashes: 0 });
  expect(existsSync(join(house.work, 'made'))).toBe(true);
  expect(await approvals(server, session)).toHaveLength(1);
  await done(server, session, [{ text: 'Here.' }]);
  expect(house.shown()).toContain('Made it.');
  const { conversation = '' } = house.starts().at(-1) ?? {};
  expect(house.transcript(conversation).length).toBeGreaterThan(0);
});

/** What the death of an agent counts as, and that of a node. */
const counts = (part: string): object =>
  part === 'Claude Code' ? { attempts: 2, crashes: 0 } : { attempts: 1, crashes: 1 };

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
