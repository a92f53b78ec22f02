import { expect, test } from 'vitest';
import { byteLength, type Json } from '../../contract/values/json.ts';
import { SECRETS } from '../../policy/masking/corpus.ts';
import { maskCallJson, maskJson } from '../../policy/masking/json.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { EVENT_BYTES, OutputBudget, RUN_OUTPUT_BYTES } from './output-budget.ts';
import { Recorder } from './recorder.ts';

interface Emitted {
  readonly type: string;
  readonly payload: { text?: string; stream?: string };
}

function rig(bytes = RUN_OUTPUT_BYTES) {
  const emitted: Emitted[] = [];
  const kept: string[] = [];
  let room = Promise.resolve();
  const masker = createMasker();
  const recorder = new Recorder({
    masker,
    budget: new OutputBudget(bytes),
    maskJson: (value) => maskJson(masker, value),
    maskCall: (input) => maskCallJson(masker, input),
    keep: async (call, text) => {
      if (call === 'no room') throw new Error('the disk is full');
      kept.push(text);
      return { name: `${call}.txt`, bytes: text.length };
    },
    context: {
      emit: async (type: string, payload: unknown) => {
        emitted.push({ type, payload: payload as Emitted['payload'] });
      },
      room: () => room,
    },
  });
  return {
    recorder,
    emitted,
    kept,
    block: () => {
      const gate = Promise.withResolvers<void>();
      room = gate.promise;
      return gate.resolve;
    },
  };
}

const github = SECRETS[0]?.secret as string;

test('[E6] small pieces become one event per stream', async () => {
  const { recorder, emitted } = rig();
  for (const text of ['a', 'b', 'c\n'])
    await recorder.take({ kind: 'delta', text, stream: 'stdout' });
  for (const text of ['d', '\n']) await recorder.take({ kind: 'delta', text, stream: 'stderr' });
  recorder.end();
  expect(emitted).toEqual([
    { type: 'agent.delta', payload: { text: 'abc\n', stream: 'stdout' } },
    { type: 'agent.delta', payload: { text: 'd\n', stream: 'stderr' } },
  ]);
});

test('[E1] text comes before the notice, call or message that followed it', async () => {
  const { recorder, emitted } = rig();
  const payload = { id: 'call', tool: 'Bash', input: { command: 'ls' } };
  await recorder.take({ kind: 'delta', text: 'one\n' });
  await recorder.take({ kind: 'notice', text: 'a notice' });
  await recorder.take({ kind: 'delta', text: 'two\n' });
  await recorder.take({ kind: 'event', type: 'agent.tool_use', payload });
  await recorder.take({ kind: 'delta', text: 'three\n' });
  await recorder.take({ kind: 'message', text: 'three' });
  recorder.end();
  expect(emitted.map(({ type, payload: { text } }) => text ?? type)).toEqual([
    'one\n',
    'a notice',
    'two\n',
    'agent.tool_use',
    'three\n',
    'three',
  ]);
});

test('[E5] a flood is split into events of bounded size, without loss', async () => {
  const { recorder, emitted } = rig();
  const line = `${'x'.repeat(99)}\n`;
  for (let i = 0; i < 5000; i++) await recorder.take({ kind: 'delta', text: line });
  recorder.end();
  expect(emitted.map(({ payload }) => payload.text).join('')).toBe(line.repeat(5000));
  expect(Math.max(...emitted.map(({ payload }) => payload.text?.length ?? 0))).toBe(16 * 1024);
});

test('[E8] a secret is masked in two pieces, in a message, in a notice and in an event payload', async () => {
  const { recorder, emitted } = rig();
  await recorder.take({ kind: 'delta', text: `see ${github.slice(0, 10)}` });
  await recorder.take({ kind: 'delta', text: `${github.slice(10)} there\n` });
  await recorder.take({ kind: 'message', text: `see ${github} there` });
  await recorder.take({ kind: 'notice', text: github });
  const payload = { id: 'call', tool: 'Bash', input: { command: `echo ${github}` } };
  await recorder.take({ kind: 'event', type: 'agent.tool_use', payload });
  recorder.end();
  expect(JSON.stringify(emitted)).not.toContain(github.slice(4));
  expect(emitted[0]?.payload.text).toBe('see ***GITHUB_TOKEN*** there\n');
  expect(emitted.map(({ type }) => type)).toEqual([
    'agent.delta',
    'agent.message',
    'agent.notice',
    'agent.tool_use',
  ]);
});

test('[E7] a full buffer makes the agent wait', async () => {
  const { recorder, block } = rig();
  const open = block();
  let taken = false;
  const taking = recorder.take({ kind: 'delta', text: 'x\n' }).then(() => {
    taken = true;
  });
  await new Promise(setImmediate);
  expect(taken).toBe(false);
  open();
  await taking;
  recorder.end();
});

test('[E5] a message too large for an event is cut and marked as truncated', async () => {
  const { recorder, emitted } = rig();
  await recorder.take({ kind: 'message', text: '\u001b'.repeat(300_000) });
  expect(emitted[0]?.payload).toMatchObject({ truncated: true });
  expect(JSON.stringify(emitted[0]?.payload).length).toBeLessThan(256 * 1024);
});

test('[E5] [E8] a long result is masked, then cut for its event and saved in full', async () => {
  const { recorder, emitted, kept } = rig();
  // At a position where cutting before masking would leave half of it.
  const text = `${'x'.repeat(200 * 1024 - 12)} ${github} ${'y'.repeat(100_000)}`;
  const result = (id: string, said: string): Promise<void> =>
    recorder.take({
      kind: 'event',
      type: 'agent.tool_result',
      payload: { id, ok: true, text: said },
    });
  await result('long', text);
  await result('short', 'all of it');
  await result('no room', text);
  recorder.end();
  const [long, short, alone, notice] = emitted.map(({ payload }) => payload);
  expect(kept).toEqual([text.replace(github, '***GITHUB_TOKEN***')]);
  expect(long).toMatchObject({
    truncated: true,
    artefact: { name: 'long.txt', bytes: kept[0]?.length },
  });
  expect(long?.text).toMatch(/^x+ \*{1,3}/);
  expect(byteLength(JSON.stringify(long))).toBeLessThan(256 * 1024);
  expect(short).toEqual({ id: 'short', ok: true, text: 'all of it' });
  expect(alone).toEqual({ id: 'no room', ok: true, text: long?.text, truncated: true });
  expect(notice?.text).toContain('the disk is full');
  expect(JSON.stringify(emitted)).not.toContain(github.slice(0, 6));
});

const touching = 'mysql --password "x$(touch P)" -e "select 1"';

test('[P4] in a tool call no mask covers shell syntax, and it is masked before it is cut', async () => {
  const { recorder, emitted } = rig();
  const use = (input: Json) =>
    recorder.take({
      kind: 'event',
      type: 'agent.tool_use',
      payload: { id: '1', tool: 'Bash', input },
    });
  await use({ command: touching });
  // A long text is cut at 100 KiB; half of a token would be left at the edge.
  for (const half of [10, 20, 30]) {
    await use({ command: ' '.repeat(100 * 1024 - half) + github + ' '.repeat(120 * 1024) });
  }
  expect(emitted[0]?.payload).toEqual({
    id: '1',
    tool: 'Bash',
    input: { command: 'mysql --password "***MASKED***$(touch P)" -e "select 1"' },
  });
  for (const { payload } of emitted.slice(1)) {
    const text = JSON.stringify(payload);
    expect([text.includes('"truncated":true'), text.includes(github.slice(0, 8))]).toEqual([
      true,
      false,
    ]);
  }
});

test('[P4] thinking and notices are masked before they are cut', async () => {
  const { recorder, emitted } = rig();
  const thought = (text: string) =>
    recorder.take({ kind: 'event', type: 'agent.thinking', payload: { text } });
  for (let at = 15; at < 60; at += 5) {
    await recorder.take({ kind: 'notice', text: `${' '.repeat(8192 - at)}${github} and more` });
    await thought(`${' '.repeat(200 * 1024 - at)}${github} and more`);
  }
  expect(emitted).toHaveLength(18);
  expect(JSON.stringify(emitted).includes(github.slice(0, 8))).toBe(false);
});

const KIB = 1024;
const result = (id: string, text: string) =>
  ({ kind: 'event', type: 'agent.tool_result', payload: { id, ok: true, text } }) as const;

test('[E10] once its budget is spent, a run stores only the newest output and its final message', async () => {
  const { recorder, emitted } = rig(64 * KIB);
  for (let n = 0; n < 5000; n++) {
    const stream = n % 2 === 0 ? 'stdout' : 'stderr';
    await recorder.take({ kind: 'delta', text: `${n} ${'x'.repeat(100)}\n`, stream });
  }
  await recorder.take({ kind: 'message', text: 'the end' });
  recorder.end();
  const gap = emitted.findIndex(({ payload }) => 'gap' in payload);
  expect(emitted[gap]?.type).toBe('agent.notice');
  expect(byteLength(JSON.stringify(emitted.slice(0, gap)))).toBeLessThan(100 * KIB);
  const [newest, message, ...others] = emitted.slice(gap + 1);
  expect(newest?.payload.text).toMatch(/4999 x+\n$/);
  expect(newest?.payload.text?.length).toBeLessThanOrEqual(16 * KIB);
  expect(message).toEqual({ type: 'agent.message', payload: { text: 'the end' } });
  expect(others).toEqual([]);
});

test('[E10] notices and thoughts count, and few of them are stored once the budget is spent', async () => {
  const { recorder, emitted } = rig(64 * KIB);
  for (let n = 0; n < 100; n++) {
    await recorder.take({ kind: 'notice', text: `${n} ${'x'.repeat(4 * KIB)}` });
    const payload = { text: `${n} ${'y'.repeat(4 * KIB)}` };
    await recorder.take({ kind: 'event', type: 'agent.thinking', payload });
  }
  recorder.end();
  const gap = emitted.findIndex(({ payload }) => 'gap' in payload);
  expect(byteLength(JSON.stringify(emitted.slice(0, gap)))).toBeLessThan(100 * KIB);
  expect(emitted.slice(gap + 1)).toHaveLength(1);
});

test('[E10] tiny events count with what each takes in the database', async () => {
  const budget = 100_000;
  const { recorder, emitted } = rig(budget);
  for (let i = 0; i < 2000; i++) {
    await recorder.take({ kind: 'delta', text: '\n', stream: i % 2 === 0 ? 'stdout' : 'stderr' });
  }
  recorder.end();
  const gap = emitted.findIndex(({ payload }) => 'gap' in payload);
  expect(gap).toBeGreaterThan(budget / (2 * EVENT_BYTES));
  expect(emitted.length).toBeLessThan(budget / EVENT_BYTES);
});

test('[E10] once the budget is spent, results are cut short and not saved in full; calls are stored unchanged', async () => {
  const { recorder, emitted, kept } = rig(600 * KIB);
  const long = 'y'.repeat(300 * KIB);
  await recorder.take(result('one', long));
  expect(kept).toEqual([long]);
  await recorder.take(result('two', long));
  await recorder.take(result('three', long));
  expect(kept).toHaveLength(1);
  const input = { command: 'z'.repeat(100 * KIB) };
  const call = { id: 'call', tool: 'Bash', input };
  await recorder.take({ kind: 'event', type: 'agent.tool_use', payload: call });
  await recorder.take(result('four', 'w'.repeat(10 * KIB)));
  expect(emitted.map(({ type }) => type)).toEqual([
    'agent.tool_result',
    'agent.notice',
    'agent.tool_result',
    'agent.tool_result',
    'agent.tool_use',
    'agent.tool_result',
  ]);
  expect(emitted[4]?.payload).toEqual(call);
  expect(emitted[5]?.payload).toMatchObject({ id: 'four', truncated: true });
  expect(emitted[5]?.payload.text?.length).toBeLessThan(4.1 * KIB);
  expect(emitted[5]?.payload).not.toHaveProperty('artefact');
});
