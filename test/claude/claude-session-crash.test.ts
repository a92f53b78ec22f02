import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../support/depth.ts';
import {
  answer,
  approvals,
  asked,
  claudeServerRig,
  counts,
  crashSetup,
  done,
  ended,
  FIRST,
  making,
  parts,
  payloadsOf,
  say,
  untilEvent,
  whole,
} from './claude-session-rig.ts';

/*
 * When its server dies, Claude Code sees its input close, takes that for a refusal and continues for
 * the moment until it is killed. That is why not every script declares the results it expects.
 */

describe.each(casesOf(parts, ['the worker']))('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('while a question is open: the run keeps waiting, and continues with the answer', async () => {
    const setup = await crashSetup(part);
    const { session, claude } = setup;
    const run = await say(setup.server, session, [
      { tools: [making('made')] },
      { text: 'Made it.' },
    ]);
    const question = await asked(setup.server, session, run);
    await setup.kill();
    await untilEvent(setup.server, session, 'run.waiting', ({ parked }) => parked === true);
    expect((await asked(setup.server, session, run)).id).toBe(question.id);
    await answer(setup.server, question, { decision: 'allow' });
    expect(await ended(setup.server, run)).toMatchObject({
      state: 'succeeded',
      attempts: 1,
      crashes: 0,
    });
    expect(existsSync(join(claude.work, 'made'))).toBe(true);
    expect(await approvals(setup.server, session)).toHaveLength(1);
    await whole(setup, run, [FIRST, 'Made it.']);
  });
});

describe.each(casesOf(parts, ['Claude Code']))('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('[Q16] while a tool writes: the change is logged, and the call is repeated without asking', async () => {
    const setup = await crashSetup(part);
    const { session, claude } = setup;
    const gate = claude.gate();
    const run = await say(setup.server, session, [
      { tools: [gate.call] },
      { text: 'Written.', results: [{ includes: 'released' }] },
    ]);
    await answer(setup.server, await asked(setup.server, session, run), { decision: 'allow' });
    await gate.begun(1);
    await setup.kill();
    await gate.begun(2);
    gate.release();
    expect(await ended(setup.server, run)).toMatchObject({ state: 'succeeded', ...counts(part) });
    expect(gate.runs()).toBe(2);
    expect(await approvals(setup.server, session)).toHaveLength(1);
    expect(await payloadsOf(setup.server, session, 'run.retry_diff')).toMatchObject([
      { files: [{ path: 'gate.runs' }] },
    ]);
    await whole(setup, run, [FIRST, 'Written.']);
  });
});

describe.each(casesOf(parts, ['the server']))('[A7] [Q7] [A3] kill -9 of %s', (part) => {
  test('right after the answer: it counts, and is not asked for again', async () => {
    const setup = await crashSetup(part);
    const { session, claude } = setup;
    const gate = claude.gate();
    const run = await say(setup.server, session, [{ tools: [gate.call] }, { text: 'Written.' }]);
    await answer(setup.server, await asked(setup.server, session, run), { decision: 'allow' });
    await setup.kill();
    gate.release();
    expect((await ended(setup.server, run)).state).toBe('succeeded');
    expect(await approvals(setup.server, session)).toHaveLength(1);
    expect([1, 2]).toContain(gate.runs());
    await whole(setup, run, [FIRST, 'Written.']);
  });
});

test('[A7] [A3] kill -9 of all at the very first question: the answer counts in a new conversation', async () => {
  const claude = await claudeServerRig();
  let server = await claude.server();
  const session = await claude.session(server);
  const steps = [{ tools: [making('made')] }, { text: 'Made it.' }];
  const run = await say(server, session, steps);
  const question = await asked(server, session, run);
  process.kill(claude.starts().at(-1)?.pid ?? 0, 'SIGKILL');
  await server.kill();
  server = await claude.server();
  await answer(server, question, { decision: 'allow' });
  expect(await ended(server, run)).toMatchObject({ state: 'succeeded', attempts: 1, crashes: 0 });
  expect(existsSync(join(claude.work, 'made'))).toBe(true);
  expect(await approvals(server, session)).toHaveLength(1);
  await done(server, session, [{ text: 'Here.' }]);
  expect(claude.shown()).toContain('Made it.');
  const { conversation = '' } = claude.starts().at(-1) ?? {};
  expect(claude.transcript(conversation).length).toBeGreaterThan(0);
});
