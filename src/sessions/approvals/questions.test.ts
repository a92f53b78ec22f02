import { expect, onTestFinished, test, vi } from 'vitest';
import type { Verdict } from '../../contract/policy.ts';
import type { Json } from '../../contract/values/json.ts';
import { maskCallJson } from '../../policy/masking/json.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { canonicalJson } from '../../queue/json-text.ts';
import { SILENT } from '../../queue/logger.ts';
import type { ApprovalRecord, NewApproval } from './approval-store.ts';
import { Questions, type QuestionsOptions } from './questions.ts';

const CALL = { id: 'call', tool: 'Bash', input: { command: 'npm publish' } };
const masker = createMasker();
const digestOf = (text: string): string => `digest of ${text}`;
const DENIED = /^rm -rf/;

/**
 * A person gives this answer at once or, if it is late, while the run waits. If it is reused, they
 * gave it to an earlier attempt.
 */
function rig(answer: Partial<ApprovalRecord>, { isLate = false, isReused = false } = {}) {
  let isAnswered = !isLate;
  const onPark = vi.fn();
  const emitted: [string, Json][] = [];
  const opened: NewApproval[] = [];
  const rules = { deny: DENIED, why: 'it is denied' };
  const record = {
    id: 'approval',
    state: 'allowed',
    message: null,
    reason: 'nobody said',
    editedInput: null,
    sealedInput: null,
    digest: digestOf(canonicalJson([CALL.tool, CALL.input])),
    ...answer,
  } as ApprovalRecord;
  const decide = async ({ input }: { input: Json }): Promise<Verdict> => {
    const denied = rules.deny.test((input as { command: string }).command);
    const reason = denied ? rules.why : 'nobody said';
    return { decision: denied ? 'deny' : 'ask', scope: 'channel', rule: null, reason };
  };
  const options: QuestionsOptions = {
    context: {
      run: { id: 'run', lane: 'session' },
      attempt: 1,
      fence: 7,
      signal: new AbortController().signal,
      emit: async (type: string, payload: Json) => void emitted.push([type, payload]),
      wait: async () => {
        isAnswered = true;
      },
      log: SILENT,
    } as unknown as QuestionsOptions['context'],
    store: {
      openApproval: async (approval) => {
        opened.push(approval);
        return { ...record, state: 'pending' };
      },
      getApproval: async () => (isAnswered ? record : { ...record, state: 'pending' }),
      listApprovalsOf: async () => [],
      useApproval: async () => true,
      withdrawApproval: async () => {},
    },
    decide,
    stored: async () => {},
    maskCall: (input) => maskCallJson(masker, input),
    seal: (input, id) => `${id} ${JSON.stringify(input)}`,
    open: (sealed) => JSON.parse(sealed),
    digest: digestOf,
    reusableAnswers: isReused ? [record] : [],
    parkMs: 60_000,
    onPark,
  };
  const permit = (call = CALL) => new Questions(options).permit(call, new AbortController().signal);
  return { permit, emitted, rules, opened, onPark };
}

test('[A7] the agent is given what a person allowed or edited', async () => {
  expect(await rig({}).permit()).toEqual({ behavior: 'allow' });
  const edited = { command: 'npm publish --dry-run' };
  expect(await rig({ editedInput: edited }).permit()).toEqual({ behavior: 'allow', input: edited });
});

test('[A7] an agent whose question was answered in time is not parked later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { permit, onPark } = rig({}, { isLate: true });
  expect(await permit()).toEqual({ behavior: 'allow' });
  vi.advanceTimersByTime(120_000);
  expect(onPark).not.toHaveBeenCalled();
});

test.each([
  ['as it is', { editedInput: { command: 'rm -rf .' } }],
  ['sealed', { sealedInput: '{"command":"rm -rf ."}', editedInput: { command: '***' } }],
])('[P3] input edited into a denied call is denied: %s', async (_, answer) => {
  const { permit, emitted } = rig(answer);
  expect(await permit()).toEqual({ behavior: 'deny', message: 'it is denied' });
  expect(emitted).toMatchObject([
    ['policy.denied', { callId: 'call', input: { command: 'rm -rf .' } }],
  ]);
});

test('[Q16] [A7] an answer to an earlier attempt is used without asking, and the call is logged as allowed', async () => {
  const { permit, emitted, opened } = rig({}, { isReused: true });
  expect(await permit()).toEqual({ behavior: 'allow' });
  expect(opened).toEqual([]);
  expect(emitted).toMatchObject([['policy.allowed', { callId: 'call', tool: 'Bash' }]]);
});

test('[P4] an approval is not used if a link leads elsewhere by then', async () => {
  const { permit } = rig({ reason: 'nobody said; through a link it leads to "/shared/key"' });
  expect(await permit()).toMatchObject({
    behavior: 'deny',
    message: expect.stringMatching(/no longer leads to the same place .* Make the call again/),
  });
});

test('[P3] a call that the rules came to deny while it was asked about is denied', async () => {
  const { permit, rules } = rig({});
  const answer = permit();
  rules.deny = /publish/;
  expect(await answer).toEqual({ behavior: 'deny', message: 'it is denied' });
});

test('[P4] a call with a secret is shown masked, and encrypted for users who may answer', async () => {
  const { permit, opened } = rig({});
  const input = { command: 'mysql --password "x$(touch P)"' };
  await permit();
  await permit({ ...CALL, input });
  const [plain, masked] = opened;
  expect(plain).toMatchObject({ input: CALL.input, masked: false, original: null });
  expect(masked).toMatchObject({
    input: { command: 'mysql --password "***MASKED***$(touch P)"' },
    masked: true,
    original: `${masked?.id} ${JSON.stringify(input)}`,
  });
});

test('[P4] the reason of a denied call is logged masked', async () => {
  const { permit, emitted, rules } = rig({});
  rules.deny = /publish/;
  rules.why = `a link leads to "/tmp/password=hunter2secret9"`;
  await permit();
  expect(emitted).toMatchObject([['policy.denied', { callId: 'call' }]]);
  expect(JSON.stringify(emitted)).toContain('***MASKED***');
  expect(JSON.stringify(emitted)).not.toContain('hunter2secret9');
});
