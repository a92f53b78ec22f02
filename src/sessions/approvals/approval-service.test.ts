import { expect, test } from 'vitest';
import { ask } from '../../../test/support/asking.ts';
import { authorised, type Person } from '../../../test/support/principals.ts';
import { ADMIN, type ServiceRig, serviceRig } from '../../../test/support/service-rig.ts';
import { until } from '../../../test/support/until.ts';
import { DecideApproval } from '../../contract/approval.ts';
import { CreateSession } from '../../contract/session.ts';
import { newId } from '../../contract/values/ids.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';
import { aesBox } from '../../secrets/aes-box.ts';
import { openOriginal } from '../messages/messages.ts';
import type { NewApproval } from './approval-store.ts';
import { sealCall } from './call-original.ts';

const secret = SECRETS[0]?.secret as string;

async function person({ store }: ServiceRig, name: string) {
  const { id } = await store.createUser({ id: newId(), name, role: 'operator' });
  return authorised({ userId: id, role: 'operator', channel: 'web' });
}

/** A session with a run that asks a question and waits. */
async function asking(given: Partial<NewApproval> = {}, payload: object = {}) {
  const rig = await serviceRig({ executes: false });
  const owner = await person(rig, 'hanako');
  const body = CreateSession.parse({ name: 'asks', agent: { kind: 'claude' } });
  const { id: sessionId } = await rig.services.sessions.create(owner, body);
  const { asked, claimed } = await ask(rig.store, sessionId, given, payload);
  const answer = (by: Person, given: object, id = asked.id) =>
    rig.services.approvals.decide(by, id, DecideApproval.parse(given));
  return { ...rig, rig, owner, sessionId, asked, claimed, answer };
}

const bad = (code: string, field?: string) => ({
  code,
  ...(field === undefined ? {} : { details: expect.objectContaining({ field }) }),
});

test('[A7] [H4] a question is listed, shown and answered once, and the run continues', async () => {
  const { services, owner, asked, claimed, answer, store } = await asking();
  const pending = await services.approvals.list(owner, { state: 'pending' });
  expect(pending).toMatchObject({ nextCursor: null, items: [{ id: asked.id, state: 'pending' }] });
  expect(await services.approvals.get(owner, asked.id)).toEqual(pending.items[0]);
  const allowed = await answer(owner, { decision: 'allow' });
  expect(allowed).toMatchObject({
    state: 'allowed',
    scope: 'once',
    decidedBy: owner.userId,
    editedInput: null,
  });
  await expect(answer(owner, { decision: 'deny' })).rejects.toMatchObject(bad('approval_decided'));
  await expect(answer(ADMIN, { decision: 'allow' })).rejects.toMatchObject({
    code: 'approval_decided',
    details: { state: 'allowed', decidedBy: owner.userId },
  });
  expect((await services.approvals.list(owner, { state: 'pending' })).items).toEqual([]);
  expect((await store.getLane(claimed.run.lane))?.answeredAt).not.toBeNull();
});

test('[A7] [X3] only users who may operate the session can answer; others do not see the question', async () => {
  const { services, rig, owner, sessionId, asked, answer } = await asking();
  const taro = await person(rig, 'taro');
  const allow = { decision: 'allow' };
  for (const refused of [
    () => answer(taro, allow),
    () => services.approvals.get(taro, asked.id),
    () => services.approvals.get(owner, newId()),
    () => services.approvals.list(taro, { sessionId }),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'not_found' });
  }
  expect((await services.approvals.list(taro, {})).items).toEqual([]);
  await services.shares.put(owner, sessionId, { shares: [{ user: 'taro', level: 'view' }] });
  expect((await services.approvals.list(taro, {})).items).toMatchObject([
    { id: asked.id, level: 'view' },
  ]);
  await expect(answer(taro, allow)).rejects.toMatchObject({ code: 'forbidden' });
  await services.shares.put(owner, sessionId, { shares: [{ user: 'taro', level: 'operate' }] });
  expect((await services.approvals.list(taro, {})).items).toMatchObject([{ level: 'operate' }]);
  expect((await services.approvals.list(owner, {})).items).toMatchObject([{ level: 'own' }]);
  expect(await answer(taro, allow)).toMatchObject({ decidedBy: taro.userId, level: 'operate' });
});

test('[A7] after the run has ended nobody can answer, and the reconciler withdraws the question', async () => {
  const { services, owner, asked, claimed, answer, store } = await asking();
  await services.runs.cancel(owner, claimed.run.id);
  await expect(answer(owner, { decision: 'allow' })).rejects.toMatchObject(bad('approval_decided'));
  const { lane } = claimed.run;
  const end = { outcome: { kind: 'cancelled' }, retryDelayMs: 0 } as const;
  await store.write([{ lane, fence: claimed.fence, end }]);
  await until(async () => (await services.approvals.get(owner, asked.id)).state === 'withdrawn');
  await expect(answer(owner, { decision: 'allow' })).rejects.toMatchObject(bad('approval_decided'));
});

test("[A7] a denial carries the person's message, masked", async () => {
  const { owner, answer } = await asking();
  await expect(answer(owner, { decision: 'deny', input: {} })).rejects.toMatchObject(
    bad('invalid_request', 'input'),
  );
  await expect(answer(owner, { decision: 'deny', scope: 'session' })).rejects.toMatchObject(
    bad('invalid_request', 'scope'),
  );
  const denied = await answer(owner, { decision: 'deny', message: `Not with ${secret}` });
  expect(denied).toMatchObject({ state: 'denied', scope: 'once' });
  expect(denied.message).toMatch(/^Not with /);
  expect(denied.message).not.toContain(secret);
});

test.each([
  [{ command: 5, description: 'x' }, 'invalid_input', 'input.command'],
  [{ command: ['ls'], description: 'x' }, 'invalid_input', 'input.command'],
  [{ command: null, description: 'x' }, 'invalid_input', 'input.command'],
  [{ command: 'ls' }, 'invalid_input', 'input.description'],
  [{}, 'invalid_input', 'input.command'],
  [{ command: 'echo ***GITHUB_TOKEN***', description: '' }, 'contains_mask', 'input.command'],
])('[A7] edited input %j is refused as %s of %s', async (input, code, field) => {
  const { owner, answer, services, asked } = await asking();
  await expect(answer(owner, { decision: 'allow', input })).rejects.toMatchObject(bad(code, field));
  expect((await services.approvals.get(owner, asked.id)).state).toBe('pending');
});

test('[A7] edited input has the shape of the original input, also in nested fields', async () => {
  const input = { files: [{ path: 'a' }], options: { deep: true, note: null } };
  const { owner, answer } = await asking({ tool: 'mcp__box__put', input });
  const edit = (given: object) => answer(owner, { decision: 'allow', input: given });
  await expect(edit({ ...input, files: ['a'] })).rejects.toMatchObject(
    bad('invalid_input', 'input.files.0'),
  );
  await expect(edit({ ...input, options: { deep: 'yes', note: 1 } })).rejects.toMatchObject(
    bad('invalid_input', 'input.options.deep'),
  );
  const edited = { files: [], options: { deep: false, note: 'of any type' }, more: 1 };
  expect((await edit(edited)).editedInput).toEqual(edited);
});

test('[P3] nobody can edit an input into one that the rules deny', async () => {
  const payload = { message: 'hi', channel: 'web', sender: 'hanako', original: false };
  const { services, owner, answer, asked } = await asking({}, payload);
  const edit = (command: string) =>
    answer(owner, { decision: 'allow', input: { command, description: 'x' } });
  await expect(edit('rm -fr /')).rejects.toMatchObject({
    code: 'policy_denied',
    message: expect.stringContaining('"Bash(rm -rf)" is denied by the rules of the channel'),
  });
  expect((await services.approvals.get(owner, asked.id)).state).toBe('pending');
  expect(await edit('npm publish --dry-run')).toMatchObject({ state: 'allowed' });
});

test('[P2] edited input is judged as a call of the person who edits it, too', async () => {
  const payload = { message: 'hi', channel: 'cli', sender: 'hanako', original: false };
  const { owner, answer } = await asking({}, payload);
  const edited = { decision: 'allow', input: { command: 'rm -rf build', description: 'x' } };
  // On the command line, where the message came from, this command needs no approval.
  await expect(answer(owner, edited)).rejects.toMatchObject({ code: 'policy_denied' });
  expect(await answer({ ...owner, channel: 'cli' }, edited)).toMatchObject({ state: 'allowed' });
});

test('[H9] edited input is limited, because masking and judging it take time', async () => {
  const input = { command: 'x'.repeat(300_000), description: 'x' };
  expect(DecideApproval.safeParse({ decision: 'allow', input }).error?.issues).toMatchObject([
    { path: ['input'], message: 'must be at most 262144 characters of JSON' },
  ]);
});

test('[P4] a secret in edited input is shown masked and stored encrypted for the agent', async () => {
  const { owner, answer, store, asked, sessionId } = await asking();
  const input = { command: `npm publish --token ${secret}`, description: 'x' };
  const shown = await answer(owner, { decision: 'allow', input });
  expect(JSON.stringify(shown)).not.toContain(secret);
  const stored = await store.getApproval(asked.id);
  expect(JSON.stringify(stored)).not.toContain(secret);
  const box = aesBox(Buffer.alloc(32, 7));
  const opened = openOriginal(stored?.sealedInput as string, sessionId, box);
  expect(JSON.parse(opened)).toEqual(input);
});

test('[A7] questions are answered in `answers`, and cannot be changed', async () => {
  const input = { questions: [{ question: 'Which colour?', header: 'Colour' }] };
  const { owner, answer } = await asking({ tool: 'AskUserQuestion', kind: 'question', input });
  const reply = (given?: object) => answer(owner, { decision: 'allow', input: given });
  const wrong = bad('invalid_input', 'input.answers');
  await expect(reply()).rejects.toMatchObject(wrong);
  await expect(reply({})).rejects.toMatchObject(wrong);
  await expect(reply({ answers: {} })).rejects.toMatchObject(wrong);
  await expect(reply({ answers: { 'Which colour?': 1 } })).rejects.toMatchObject(
    bad('invalid_input', 'input.answers.Which colour?'),
  );
  await expect(
    answer(owner, {
      decision: 'allow',
      scope: 'session',
      input: { answers: { 'Which colour?': 'Red' } },
    }),
  ).rejects.toMatchObject(bad('invalid_request', 'scope'));
  const answers = { 'Which colour?': 'Red' };
  expect((await reply({ answers })).editedInput).toEqual({ ...input, answers });
});

test('[A7] a plan is accepted, or refused with what to change', async () => {
  const plan = { tool: 'ExitPlanMode', kind: 'plan', input: { plan: '1. Do it.' } } as const;
  const agreed = await asking(plan);
  expect(await agreed.answer(agreed.owner, { decision: 'allow' })).toMatchObject({
    state: 'allowed',
    kind: 'plan',
  });
  const { owner, answer } = await asking(plan);
  const message = 'Begin with the tests.';
  expect(await answer(owner, { decision: 'deny', message })).toMatchObject({ message });
});

test.each([
  ['Bash', { command: 'npm publish' }, 'Bash(npm publish)'],
  ['Write', { file_path: '/srv/a b.txt', content: '' }, 'Write(//srv/a b.txt)'],
  ['WebFetch', { url: 'https://example.com/x' }, 'WebFetch(domain:example.com)'],
  ['mcp__box__put', { any: 1 }, 'mcp__box__put'],
])('[A7] [P1] allowed for the session: %s of %j is the rule %s', async (tool, input, rule) => {
  const { services, owner, answer, sessionId, asked } = await asking({ tool, input });
  expect((await services.approvals.get(owner, asked.id)).sessionRule).toBe(rule);
  const { items } = await services.approvals.list(owner, {});
  expect(items.map(({ sessionRule }) => sessionRule)).toEqual([rule]);
  await answer(owner, { decision: 'allow', scope: 'session' });
  const scope = { scope: 'session', sessionId } as const;
  expect((await services.rules.get(owner, scope)).allow).toEqual([rule]);
  const test = { tool, input, channel: 'web', sessionId } as const;
  expect(await services.rules.test(owner, test)).toMatchObject({
    decision: 'allow',
    scope: 'session',
    rule,
  });
});

test('[A7] [P1] the rule shown is the rule granted, also for a path in the workspace', async () => {
  const { services, store, owner, answer, sessionId, asked } = await asking({
    tool: 'Grep',
    input: { pattern: 'x', path: '..' },
  });
  await store.changeSession(sessionId, { do: 'ready', path: '/srv/app' });
  const shown = (await services.approvals.get(owner, asked.id)).sessionRule;
  expect(shown).toBe('Grep(//srv)');
  expect((await services.approvals.list(owner, {})).items[0]?.sessionRule).toBe(shown);
  const input = { pattern: 'x', path: 'src' };
  const decided = await answer(owner, { decision: 'allow', scope: 'session', input });
  expect(decided.sessionRule).toBe('Grep(//srv/app/src)');
  const scope = { scope: 'session', sessionId } as const;
  expect((await services.rules.get(owner, scope)).allow).toEqual([decided.sessionRule]);
});

test.each([
  ['Bash', { command: 'make && make install' }],
  ['Bash', { command: "find . -name '*.ts'" }],
  ['Bash', { command: 'safe' }],
  ['Bash', { command: `deploy ***GITHUB_TOKEN***` }],
  ['Write', { file_path: '/srv/*', content: '' }],
])('[A7] [P1] no rule matches only %s of %j: it is allowed once', async (tool, input) => {
  const { services, owner, answer, asked } = await asking({ tool, input });
  expect((await services.approvals.get(owner, asked.id)).sessionRule).toBeNull();
  await expect(answer(owner, { decision: 'allow', scope: 'session' })).rejects.toMatchObject(
    bad('invalid_request', 'scope'),
  );
  expect(await answer(owner, { decision: 'allow' })).toMatchObject({ state: 'allowed' });
});

test('[P6] an answer is one line in the audit log, with the user who gave it', async () => {
  const { owner, answer, asked, store } = await asking();
  const late = { decision: 'deny' };
  await answer(owner, { decision: 'allow', scope: 'session' });
  await answer(owner, late).catch(() => {});
  expect(await store.listAudit({ limit: 10, target: asked.id })).toMatchObject([
    {
      userId: owner.userId,
      channel: 'web',
      action: 'approval.decide',
      target: { kind: 'approval', id: asked.id },
      after: { decision: 'allow', scope: 'session', edited: false, rule: 'Bash(npm publish)' },
    },
  ]);
});

test('[P4] [X2] [P6] users who may answer can see what masks hide, also afterwards, and it is audited', async () => {
  const id = newId();
  const input = { command: `echo ${secret}` };
  const original = sealCall(input, id, aesBox(Buffer.alloc(32, 7)));
  const hidden = { id, masked: true, original, input: { command: 'echo ***GITHUB_TOKEN***' } };
  const { services, rig, owner, sessionId, store, answer } = await asking(hidden);
  const taro = await person(rig, 'taro');
  expect(await services.approvals.get(owner, id)).toMatchObject({
    masked: true,
    input: hidden.input,
  });
  expect((await services.approvals.list(owner, {})).items).toMatchObject([{ masked: true }]);
  const revealed = async () =>
    (await store.listAudit({ limit: 100 })).filter(({ action }) => action === 'approval.reveal');

  await expect(services.approvals.reveal(taro, id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(services.approvals.reveal(owner, newId())).rejects.toMatchObject({
    code: 'not_found',
  });
  await services.shares.put(owner, sessionId, { shares: [{ user: 'taro', level: 'view' }] });
  await expect(services.approvals.reveal(taro, id)).rejects.toMatchObject({ code: 'forbidden' });
  expect(await revealed()).toEqual([]);

  await services.shares.put(owner, sessionId, { shares: [{ user: 'taro', level: 'operate' }] });
  expect(await services.approvals.reveal(taro, id)).toEqual({ input, editedInput: null });
  const edited = { command: `printf ${secret}` };
  await answer(owner, { decision: 'allow', input: edited });
  expect(await services.approvals.reveal(owner, id)).toEqual({ input, editedInput: edited });
  const lines = await revealed();
  expect(lines.map(({ userId }) => userId).sort()).toEqual([owner.userId, taro.userId].sort());
  expect(lines[0]).toMatchObject({ target: { kind: 'approval', id }, after: { tool: 'Bash' } });
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test('[P4] an unmasked call is its own original, and a missing original is an error', async () => {
  const plain = await asking();
  expect(await plain.services.approvals.reveal(plain.owner, plain.asked.id)).toMatchObject({
    input: plain.asked.input,
  });
  const old = await asking({ masked: true, input: { command: 'echo ***MASKED***' } });
  await expect(old.services.approvals.reveal(old.owner, old.asked.id)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('not stored'),
  });
});
