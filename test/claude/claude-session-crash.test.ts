import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../support/depth.ts';
import {
  answer,
  approvals,
  asked,
  claudeHouse,
  counts,
  done,
  ended,
  FIRST,
  killed,
  making,
  parts,
  say,
  told,
  untilTold,
  whole,
} from './claude-session-rig.ts';

/*
 * A Claude Code whose server is gone sees its input close, takes that for a refusal and goes on for
 * the moment until it is killed; so not every script says what results it expects.
 */

describe.each(casesOf(parts, ['the worker']))('[A7] [Q7] [A3] kill -9 of %s', (part) => {
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
});

describe.each(casesOf(parts, ['Claude Code']))('[A7] [Q7] [A3] kill -9 of %s', (part) => {
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

describe.each(casesOf(parts, ['the server']))('[A7] [Q7] [A3] kill -9 of %s', (part) => {
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
