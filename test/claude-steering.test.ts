import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeRig } from './claude-rig.ts';
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
