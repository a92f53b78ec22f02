import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import { until } from '../support/until.ts';
import {
  allAsked,
  answer,
  approvals,
  asked,
  bash,
  claudeServerRig,
  done,
  ended,
  making,
  payloadsOf,
  say,
} from './claude-session-rig.ts';

test('[A7] [Q2] a question frees the slot, is answered exactly once, and only by an authorised user', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server({ env: { BATON_MAX_CONCURRENT_RUNS: '1' } });
  const session = await claude.session(server);
  const steps = [{ tools: [making('made')] }, { text: 'Over.' }];
  const run = await say(server, session, steps);
  const question = await asked(server, session, run);
  expect(question).toMatchObject({
    kind: 'tool',
    tool: 'Bash',
    input: { command: 'install /dev/null made' },
  });
  // The question has freed the only slot.
  const other = await server.session('another', { holdOnFailure: false });
  expect((await ended(server, await server.send(other.id, 'echo other'))).state).toBe('succeeded');
  expect(existsSync(join(claude.work, 'made'))).toBe(false);

  const user = await server.call<{ id: string }>('POST', '/api/v1/users', { name: 'hanako' });
  const scopes = ['read', 'run', 'account'];
  const body = { name: 'hers', userId: user.id, scopes };
  const { token } = await server.call<{ token: string }>('POST', '/api/v1/tokens', body);
  const path = `/api/v1/approvals/${question.id}`;
  const allow = { decision: 'allow' };
  const hers = { authorization: `Bearer ${token}` };
  expect((await server.fetch('POST', path, allow, hers)).status).toBe(404);

  const answers = await Promise.all([
    server.fetch('POST', path, allow),
    server.fetch('POST', path, { decision: 'deny', message: 'no' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const isAllowed = answers[0]?.status === 200;
  const finished = await ended(server, run);
  expect(finished.attempts).toBe(1);
  expect(existsSync(join(claude.work, 'made'))).toBe(isAllowed);
  expect((await server.fetch('POST', path, allow)).status).toBe(409);
  expect(await payloadsOf(server, session, 'approval.decided')).toHaveLength(1);
});

test('[A7] an edited input is executed, and the agent gets the reason of a refusal, the answer to a question and the approval of a plan', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server);
  const option = (label: string) => ({ label, description: label });
  const options = [option('Red'), option('Blue')];
  const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
  const run = await say(server, session, [
    { tools: [making('theirs')] },
    { tools: [making('other')], results: [{}] },
    {
      tools: [{ name: 'AskUserQuestion', input: { questions } }],
      results: [{ error: true, includes: 'not that one' }],
    },
    { tools: [{ name: 'EnterPlanMode', input: {} }], results: [{ includes: 'Blue' }] },
    { tools: [{ name: 'ExitPlanMode', input: { plan: '1. Do it.' } }], results: [{}] },
    { text: 'Understood.', results: [{}] },
  ]);
  const first = await asked(server, session, run);
  const bad = { decision: 'allow', input: { command: ['install'] } };
  expect((await server.fetch('POST', `/api/v1/approvals/${first.id}`, bad)).status).toBe(400);
  const ours = { command: 'install /dev/null ours' };
  await answer(server, first, { decision: 'allow', input: ours });
  const second = await asked(server, session, run);
  await answer(server, second, { decision: 'deny', message: 'not that one' });
  const third = await asked(server, session, run);
  expect(third).toMatchObject({ kind: 'question', input: { questions } });
  const input = { answers: { 'Which colour?': 'Blue' } };
  await answer(server, third, { decision: 'allow', input });
  const planning = await asked(server, session, run);
  expect(planning.tool).toBe('EnterPlanMode');
  await answer(server, planning, { decision: 'allow' });
  const plan = await asked(server, session, run);
  expect(plan).toMatchObject({ kind: 'plan', tool: 'ExitPlanMode' });
  await answer(server, plan, { decision: 'allow' });
  expect(await ended(server, run)).toMatchObject({ state: 'succeeded', attempts: 1 });
  const made = ['theirs', 'ours', 'other'].map((name) => existsSync(join(claude.work, name)));
  expect(made).toEqual([false, true, false]);
});

test('[A7] two simultaneous questions can be answered in reverse order', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server);
  await server.call('PUT', `/api/v1/sessions/${session.id}/policy`, { ask: ['Read'] });
  const reading = (name: string) => {
    writeFileSync(join(claude.work, name), `this is ${name}`);
    return { name: 'Read', input: { file_path: join(claude.work, name) } };
  };
  const run = await say(server, session, [
    { tools: [reading('one'), reading('two')] },
    { text: 'Read.', results: [{ includes: 'this is one' }, { error: true, includes: 'not two' }] },
  ]);
  const open = await allAsked(server, session, run, 2);
  const about = (name: string) =>
    open.find(({ input }) => JSON.stringify(input).includes(`/${name}"`)) as Approval;
  expect(about('one').id).not.toBe(about('two').id);
  await answer(server, about('two'), { decision: 'deny', message: 'not two' });
  expect(await asked(server, session, run)).toMatchObject({ id: about('one').id });
  await answer(server, about('one'), { decision: 'allow' });
  expect(await ended(server, run)).toMatchObject({ state: 'succeeded', attempts: 1 });
  const decided = await payloadsOf(server, session, 'approval.decided');
  expect(decided.map(({ approvalId }) => approvalId)).toEqual([about('two').id, about('one').id]);
});

test('[A7] [P1] allowed for the session: the same command is not asked about again, a wider one is; a cancelled run withdraws its question', async () => {
  const claude = await claudeServerRig();
  const server = await claude.server();
  const session = await claude.session(server);
  const push = bash('git push origin main');
  const steps = [{ tools: [push] }, { text: 'No repository.', results: [{ error: true }] }];
  const run = await say(server, session, steps);
  const question = await asked(server, session, run);
  await answer(server, question, { decision: 'allow', scope: 'session' });
  expect((await ended(server, run)).state).toBe('succeeded');
  await done(server, session, steps);
  expect(await approvals(server, session)).toHaveLength(1);

  const forced = await say(server, session, [
    { tools: [bash('git push --force origin main')] },
    { text: 'never' },
  ]);
  const open = await asked(server, session, forced);
  await server.call('POST', `/api/v1/runs/${forced}/cancel`);
  expect((await ended(server, forced)).state).toBe('cancelled');
  await until(
    async () =>
      (await approvals(server, session)).find(({ id }) => id === open.id)?.state === 'withdrawn',
    { ms: 30_000 },
  );
  await until(() => claude.left().length === 0, { ms: 30_000 });
  const late = await server.fetch('POST', `/api/v1/approvals/${open.id}`, { decision: 'allow' });
  expect(late.status).toBe(409);
  expect(readFileSync(join(claude.home, 'starts'), 'utf8').trim().split('\n')).toHaveLength(3);
});
