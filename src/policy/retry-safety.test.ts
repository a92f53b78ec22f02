import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../contract/values/json.ts';
import { type PastAnswer, PastCalls } from './retry-safety.ts';
import type { ToolKind } from './tools/tool-table.ts';

type Observed = Parameters<PastCalls['observe']>[0];

const past = (events: readonly Observed[], kind?: ConstructorParameters<typeof PastCalls>[0]) => {
  const calls = new PastCalls(kind);
  for (const event of events) calls.observe(event);
  return calls;
};
const use = (id: string, tool: string, input: Json, at = 1, more = {}): Observed => ({
  type: 'agent.tool_use',
  payload: { id, tool, input, ...more },
  at,
});
const result = (id: string, at = 1): Observed => ({
  type: 'agent.tool_result',
  payload: { id, ok: true, text: '' },
  at,
});
const dequeued = (at: number): Observed => ({ type: 'run.dequeued', payload: { node: 'n' }, at });
const bash = (id: string, command: string, at = 1): Observed => use(id, 'Bash', { command }, at);
const answer = (callId: string, command: string, given: Partial<PastAnswer> = {}): PastAnswer => ({
  callId,
  tool: 'Bash',
  input: { command },
  editedInput: null,
  state: 'pending',
  createdAt: 1,
  decidedAt: null,
  usedAt: null,
  ...given,
});

describe('[Q16] whether an interrupted run may be retried', () => {
  const push = { verdict: 'unsafe', tool: 'Bash', input: { command: 'git push' } };

  test('if the agent asks before every call, a call that was never allowed did not run', () => {
    const both = [bash('1', 'npm install'), bash('2', 'git push')];
    const calls = new PastCalls(undefined, true);
    for (const event of both) calls.observe(event);
    expect(calls.safety([answer('1', 'npm install')]).verdict).toBe('repeat');
    calls.observe({
      type: 'policy.allowed',
      payload: { callId: '2', tool: 'Bash', reason: '' },
      at: 2,
    });
    expect(calls.safety([]).verdict).toBe('unsafe');
    calls.observe(dequeued(3));
    expect(calls.safety([]).verdict).toBe('unsafe');
  });

  test('a result of a stopped call does not count as a result', () => {
    const stopped = { id: '1', ok: false, text: 'stopped while running', cutOff: true };
    const calls = past([
      bash('1', 'git push'),
      { type: 'agent.tool_result', payload: stopped, at: 3 },
      dequeued(4),
    ]);
    const allowed = answer('1', 'git push', { state: 'allowed', decidedAt: 2, usedAt: 2 });
    expect(calls.safety([allowed]).verdict).toBe('unsafe');
    expect(calls.reusableAnswers([allowed])).toEqual([allowed]);
    expect(calls.safety([answer('1', 'git push')]).verdict).toBe('repeat');
    expect(calls.ran([answer('1', 'git push')])).toBe(true);
  });

  test.each([
    ['nothing ran', [], 'repeat'],
    ['it read', [bash('1', 'git status'), use('2', 'Read', { file_path: '/a' })], 'repeat'],
    [
      'it wrote',
      [use('1', 'Write', { file_path: '/a', content: '' }), result('1')],
      'repeat_after_diff',
    ],
    ['it was writing', [bash('1', 'npm install')], 'repeat_after_diff'],
    ['it had pushed', [bash('1', 'git push'), result('1')], 'repeat_after_diff'],
    ['it was pushing', [bash('0', 'ls'), bash('1', 'git push')], 'unsafe'],
    ['it was pushing in a longer command', [bash('1', 'cd a && git push origin')], 'unsafe'],
    ['an unknown MCP tool', [use('1', 'mcp__shop__order', {})], 'unsafe'],
    [
      'a truncated command',
      [use('1', 'Bash', { command: 'ls' }, 1, { truncated: true })],
      'unsafe',
    ],
    [
      'a truncated file',
      [use('1', 'Write', { content: '' }, 1, { truncated: true })],
      'repeat_after_diff',
    ],
  ] as const)('%s', (_, events, verdict) => {
    expect(past(events).safety([])).toMatchObject({ verdict });
  });

  test('a call that was refused did not run', () => {
    const denied = {
      callId: '1',
      tool: 'Bash',
      input: null,
      scope: 'channel',
      rule: null,
      reason: '',
    };
    const calls = past([bash('1', 'git push'), { type: 'policy.denied', payload: denied, at: 1 }]);
    expect([calls.safety([]), calls.ran([])]).toEqual([{ verdict: 'repeat' }, false]);
    const no = [answer('1', 'git push', { state: 'denied', decidedAt: 2, usedAt: 3 })];
    expect(past([bash('1', 'git push')]).safety(no)).toEqual({ verdict: 'repeat' });
  });

  test('a call that was waiting for approval when its attempt ended did not run, even if answered since', () => {
    const events = [bash('1', 'git push', 10), dequeued(50)];
    for (const given of [
      {},
      { state: 'allowed', decidedAt: 40 },
      { state: 'allowed', decidedAt: 40, usedAt: 60 },
      { state: 'withdrawn', decidedAt: 40 },
    ] as const) {
      expect(past(events).safety([answer('1', 'git push', given)])).toEqual({ verdict: 'repeat' });
    }
    const used = { state: 'allowed', decidedAt: 20, usedAt: 30 } as const;
    expect(past(events).safety([answer('1', 'git push', used)])).toEqual(push);
  });

  test('an answer to the question of an earlier attempt covers the call that received it', () => {
    const answered = [answer('1', 'git push', { state: 'allowed', decidedAt: 40, usedAt: 60 })];
    const again = [bash('1', 'git push', 10), dequeued(50), bash('2', 'git push', 55)];
    expect(past([...again, dequeued(70)]).safety(answered)).toEqual(push);
    expect(past([...again, result('2', 65), dequeued(70)]).safety(answered)).toEqual({
      verdict: 'repeat_after_diff',
    });
    // The earlier question is still open, and the second call waits for the same answer.
    expect(past([...again, dequeued(70)]).safety([answer('1', 'git push')])).toEqual({
      verdict: 'repeat',
    });
    // The answer was already used, so the rules allowed the third call.
    const third = [...again, result('2', 65), bash('3', 'git push', 66)];
    expect(past(third).safety(answered)).toEqual(push);
  });

  test('if a person edited a call, the edited input ran', () => {
    const edited = {
      state: 'allowed',
      decidedAt: 2,
      usedAt: 3,
      editedInput: { command: 'ls' },
    } as const;
    expect(past([bash('1', 'git push')]).safety([answer('1', 'git push', edited)])).toEqual({
      verdict: 'repeat',
    });
    const worse = { ...edited, editedInput: { command: 'git push' } };
    expect(past([bash('1', 'ls')]).safety([answer('1', 'ls', worse)])).toEqual(push);
    expect(past([bash('1', 'ls'), result('1')]).safety([answer('1', 'ls', worse)])).toEqual({
      verdict: 'repeat_after_diff',
    });
  });

  test('a result in a later attempt does not belong to the call', () => {
    expect(past([bash('1', 'git push'), dequeued(2), result('1', 3)]).safety([])).toEqual(push);
  });

  test('[A3] whether anything ran', () => {
    expect(past([]).ran([])).toBe(false);
    expect(past([bash('1', 'ls')]).ran([answer('1', 'ls')])).toBe(false);
    expect(past([bash('1', 'ls')]).ran([])).toBe(true);
    expect(past([bash('1', 'ls'), result('1')]).ran([])).toBe(true);
  });
});

/** How a call is decided, and whether its result is stored. */
const FATES = ['allowed', 'cut', 'denied', 'asked', 'given', 'given-cut', 'refused'] as const;
type Fate = (typeof FATES)[number];
const ANSWERED: readonly Fate[] = ['given', 'given-cut', 'refused'];
interface Planned {
  readonly kind: ToolKind;
  readonly input: number;
  readonly fate: Fate;
}

const planned = fc.record<Planned>({
  kind: fc.constantFrom('reading', 'writing', 'unrepeatable'),
  input: fc.nat(2),
  fate: fc.constantFrom(...FATES),
});
const anyStory = fc.array(fc.array(planned, { maxLength: 5 }), { maxLength: 4 });
/** Without the same call twice in one attempt. */
const plainStory = fc.array(
  fc.uniqueArray(planned, { selector: ({ kind, input }) => `${kind} ${input}`, maxLength: 5 }),
  { maxLength: 4 },
);

/** Plays attempts as the handler does: existing answers are used, and open questions are shared. */
function play(story: readonly (readonly Planned[])[]) {
  const events: Observed[] = [];
  const answers: { -readonly [K in keyof PastAnswer]: PastAnswer[K] }[] = [];
  const lost: Planned[] = [];
  let [now, ids, wrote, ran] = [0, 0, false, false];
  for (const calls of story) {
    now += 10;
    events.push(dequeued(now));
    for (const call of calls) {
      const { kind, input, fate } = call;
      const id = `${++ids}`;
      events.push(use(id, kind, input, ++now));
      if (fate === 'denied') {
        const denied = { callId: id, tool: kind, input, scope: 'session', rule: null, reason: '' };
        events.push({ type: 'policy.denied', payload: denied, at: ++now });
        continue;
      }
      const fits = (each: PastAnswer) => each.tool === kind && each.input === input;
      // The rules do not change while a question is open.
      const isAsked = answers.some((each) => fits(each) && each.state === 'pending');
      let allowed = !isAsked && (fate === 'allowed' || fate === 'cut');
      if (!allowed) {
        let one = answers.find((each) => fits(each) && each.usedAt === null);
        if (one === undefined) {
          one = { ...answer(id, ''), tool: kind, input, createdAt: ++now };
          answers.push(one);
        }
        if (!ANSWERED.includes(fate) && one.state === 'pending') continue;
        if (one.state === 'pending') {
          one.state = fate === 'refused' ? 'denied' : 'allowed';
          one.decidedAt = ++now;
        }
        one.usedAt = ++now;
        allowed = one.state === 'allowed';
      }
      if (!allowed) continue;
      ran = true;
      wrote ||= kind !== 'reading';
      if (fate === 'cut' || fate === 'given-cut') lost.push(call);
      else events.push(result(id, ++now));
    }
    // Some questions are answered while nothing runs.
    for (const each of answers) {
      if (each.state !== 'pending' || (each.input as number) !== 1) continue;
      each.state = 'allowed';
      each.decidedAt = ++now;
    }
  }
  events.push(dequeued(now + 10));
  return { events, answers, lost, wrote, ran };
}

const judge = (story: readonly (readonly Planned[])[]) => {
  const { events, answers, lost, wrote, ran } = play(story);
  const calls = past(events, ({ tool }) => tool as ToolKind);
  const unsafe = lost.some(({ kind }) => kind === 'unrepeatable');
  const verdict = unsafe ? 'unsafe' : wrote ? 'repeat_after_diff' : 'repeat';
  const judged = { verdict: calls.safety(answers).verdict, ran: calls.ran(answers) };
  return { judged, truth: { verdict, ran } };
};
const RANK = ['repeat', 'repeat_after_diff', 'unsafe'];

describe('[A7] an answer to a call that was cut off', () => {
  const given = answer('1', 'npm install', { state: 'allowed', decidedAt: 2, usedAt: 3 });
  const unused = answer('2', 'npm test', { state: 'allowed', decidedAt: 2 });
  const cutOff = [bash('1', 'npm install'), bash('2', 'npm test'), dequeued(10)];

  test('applies when the same call is repeated', () => {
    expect(past(cutOff).reusableAnswers([given, unused])).toEqual([given]);
    const twice = [...cutOff, bash('3', 'npm install', 11), dequeued(20)];
    expect(past(twice).reusableAnswers([given])).toEqual([given]);
  });

  test('is used up when the call has its result, in any attempt', () => {
    expect(
      past([bash('1', 'npm install'), result('1'), dequeued(10)]).reusableAnswers([given]),
    ).toEqual([]);
    const later = [...cutOff, bash('3', 'npm install', 11), result('3', 12), dequeued(20)];
    expect(past(later).reusableAnswers([given])).toEqual([]);
  });
});

test('[Q16] every call that may have run is detected', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const { judged, truth } = judge(story);
      expect(RANK.indexOf(judged.verdict)).toBeGreaterThanOrEqual(RANK.indexOf(truth.verdict));
      expect(judged.ran || !truth.ran).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('[Q16] no call that did not run is suspected', () => {
  fc.assert(
    fc.property(plainStory, (story) => {
      const { judged, truth } = judge(story);
      expect(judged).toEqual(truth);
    }),
    { numRuns: 2000 },
  );
});

test('[Q16] any log gets a verdict', () => {
  const payload = fc.oneof(
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.record({ id: fc.string(), tool: fc.string(), input: fc.jsonValue() as fc.Arbitrary<Json> }),
  );
  const type = fc.constantFrom(
    'agent.tool_use',
    'agent.tool_result',
    'policy.denied',
    'run.dequeued',
  );
  const event = fc.record({ type, payload, at: fc.nat() });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      expect(['repeat', 'repeat_after_diff', 'unsafe']).toContain(past(events).safety([]).verdict);
    }),
  );
});
