import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeRig, failure } from './claude-rig.ts';
import { until } from './until.ts';

const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'a test' } });

/** Says that it runs, and waits to be let go. */
const waiting = (cwd: string) => {
  execFileSync('mkfifo', [join(cwd, 'gate')]);
  return {
    call: bash('touch running; read x < gate; echo $x'),
    running: () => until(() => existsSync(join(cwd, 'running')), { ms: 60_000 }),
    letGo: () => writeFileSync(join(cwd, 'gate'), 'let go\n'),
  };
};

describe('stopping Claude Code', () => {
  test('[Q9] in the middle of a text, and the conversation goes on', async () => {
    const rig = await claudeRig();
    const stop = new AbortController();
    const steps = [{ text: 'A long text.', holdEnd: 'text' }];
    const talk = rig.start({ steps, signal: stop.signal });
    await rig.model.arrived('text');
    await talk.until(({ deltas }) => deltas.join('') === 'A long text.');
    stop.abort();
    expect((await talk.ended()).outcome).toEqual({ kind: 'stopped' });
    const next = await rig.run({ conversation: talk.conversation, steps: [{ text: 'Here.' }] });
    expect(next).toMatchObject({ outcome: { kind: 'succeeded' }, messages: ['Here.'] });
  });

  test('[Q9] [A9] in the middle of a tool, with all it started', async () => {
    const rig = await claudeRig();
    const stop = new AbortController();
    const { call, running } = waiting(rig.cwd);
    const talk = rig.start({ steps: [{ tools: [call] }, { text: 'never' }], signal: stop.signal });
    await running();
    stop.abort();
    expect((await talk.ended()).outcome).toEqual({ kind: 'stopped' });
    expect(rig.agents.marked()).toEqual([]);
    const next = await rig.run({ conversation: talk.conversation, steps: [{ text: 'Here.' }] });
    expect(next.outcome.kind).toBe('succeeded');
  });

  test('[A7] with a question open, which stays open', async () => {
    const rig = await claudeRig();
    const stop = new AbortController();
    let withdrawn: AbortSignal | undefined;
    const talk = rig.start({
      steps: [{ tools: [bash('touch made')] }, { text: 'never' }],
      signal: stop.signal,
      permit: (_call, signal) => {
        withdrawn = signal;
        return new Promise(() => {});
      },
    });
    await talk.until(({ asked }) => asked.length === 1);
    stop.abort();
    expect((await talk.ended()).outcome).toEqual({ kind: 'stopped' });
    expect(withdrawn?.aborted).toBe(false);
    expect(existsSync(join(rig.cwd, 'made'))).toBe(false);
  });
});

describe('kill -9 of Claude Code', () => {
  test('[A3] [Q15] in a text: agent_crash, and the conversation is whole', async () => {
    const rig = await claudeRig();
    const first = await rig.run({ steps: [{ text: 'The word is banana.' }] });
    const { conversation } = first;
    const steps = [{ text: 'Half a', holdEnd: 'text' }];
    const talk = rig.start({ conversation, steps });
    await talk.until(({ deltas }) => deltas.length > 0);
    process.kill(talk.processes[0]?.pid ?? 0, 'SIGKILL');
    const { outcome, end } = await talk.ended();
    expect(outcome).toEqual(failure('agent_crash', expect.stringContaining('SIGKILL')));
    expect(end.usage).toMatchObject({ inputTokens: 10, costUsd: 0, source: 'claude-partial' });
    const next = await rig.run({ conversation, steps: [{ text: 'Here.' }] });
    expect(next.messages).toEqual(['Here.']);
    const said = JSON.stringify(rig.model.requests.at(-1)?.messages);
    expect(said).toContain('The word is banana.');
    expect(said).toContain('Half a');
  });

  test('[A3] [A9] in a tool: what it started is gone, and the conversation is whole', async () => {
    const rig = await claudeRig();
    const { call, running } = waiting(rig.cwd);
    const first = await rig.run({ steps: [{ text: 'The word is banana.' }] });
    const { conversation } = first;
    const talk = rig.start({ conversation, steps: [{ tools: [call] }, { text: 'never' }] });
    await running();
    process.kill(talk.processes[0]?.pid ?? 0, 'SIGKILL');
    expect((await talk.ended()).outcome).toEqual(failure('agent_crash'));
    expect(rig.agents.marked()).toEqual([]);
    const next = await rig.run({ conversation, steps: [{ text: 'Here.' }] });
    expect(next.messages).toEqual(['Here.']);
    expect(JSON.stringify(rig.model.requests.at(-1)?.messages)).toContain('The word is banana.');
  });
});

describe('[Q11] steering Claude Code', () => {
  test('a message in a tool is part of the turn, one in a text makes another', async () => {
    const rig = await claudeRig();
    const { call, running, letGo } = waiting(rig.cwd);
    const messages = channel();
    const talk = rig.start({
      steps: [{ tools: [call] }, { text: 'one', hold: 'text' }, { text: 'two' }],
      steer: messages,
    });
    await running();
    messages.put('also this');
    await talk.until(({ taken }) => taken === 2);
    letGo();
    await rig.model.arrived('text');
    messages.put('and that');
    await talk.until(({ taken }) => taken === 3);
    rig.model.release('text');
    const { outcome, end } = await talk.ended();
    expect(outcome).toEqual({ kind: 'succeeded', result: { text: 'two', turns: 1 } });
    expect(talk.messages).toEqual(['one', 'two']);
    expect(end.usage).toMatchObject({ inputTokens: 30, outputTokens: 15 });
    const [, second, third] = rig.model.requests.map((request) => JSON.stringify(request.messages));
    expect(second).toContain('also this');
    expect(third).toContain('and that');
    expect(messages.ended).toBe(true);
  });
});

/** Messages from a test; one that is waited for when the agent ends is answered with the end. */
function channel() {
  const queue: string[] = [];
  let wake = (): void => {};
  const state = {
    ended: false,
    put: (message: string): void => {
      queue.push(message);
      wake();
    },
    [Symbol.asyncIterator]: (): AsyncIterator<string> => ({
      next: async () => {
        while (queue.length === 0 && !state.ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const value = queue.shift();
        if (value === undefined) return { done: true, value: undefined };
        return { done: false, value };
      },
      return: async () => {
        state.ended = true;
        wake();
        return { done: true, value: undefined };
      },
    }),
  };
  return state;
}
