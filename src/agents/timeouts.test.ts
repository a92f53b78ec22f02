import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { agentRig, unmasked } from '../../test/support/agent-rig.ts';
import { CAPABILITIES } from '../contract/agent-kinds.ts';
import type { AgentDriver, DriverEvent, Turn } from './driver.ts';
import { shellDriver } from './shell/driver.ts';
import { type Timeouts, withTimeouts } from './timeouts.ts';

const LONG = 600_000;

async function run(message: string, timeouts: Partial<Timeouts>, turn: Partial<Turn> = {}) {
  const rig = agentRig();
  const driver = withTimeouts(shellDriver(), { runMs: LONG, silenceMs: LONG, ...timeouts });
  const events: DriverEvent[] = [];
  for await (const event of driver.run({
    agent: { kind: 'shell' },
    message,
    conversation: null,
    maskStream: unmasked,
    runtime: rig.runtime(),
    signal: new AbortController().signal,
    ...turn,
  })) {
    events.push(event);
  }
  expect(rig.marked()).toEqual([]);
  const last = events.at(-1);
  return last?.kind === 'end' ? last.end : null;
}
const timeout = (message: string) => ({ kind: 'failed', error: { class: 'timeout', message } });

test('[A8] an agent that says nothing for too long is stopped', async () => {
  const end = await run('echo begun; sleep 1000', { silenceMs: 300 });
  expect(end?.outcome).toEqual(timeout('The agent produced no output for 0.3 seconds.'));
  expect(end?.lastMessage).toBe('begun\n');
});

test('[A8] an agent that speaks is not silent, but its run may take too long', async () => {
  const message = 'while :; do echo tick; sleep 0.05; done';
  const end = await run(message, { silenceMs: 20_000, runMs: 1000 });
  expect(end?.outcome).toEqual(timeout('The agent ran for more than 1 second.'));
});

test('[A8] an agent that ends in time keeps its outcome', async () => {
  expect((await run('exit 4', { runMs: 20_000 }))?.exitCode).toBe(4);
});

test('[Q9] who is stopped by others is stopped, not late', async () => {
  const signal = AbortSignal.timeout(300);
  const end = await run('trap "" INT; sleep 1000', { silenceMs: 350 }, { signal });
  expect(end?.outcome).toEqual({ kind: 'stopped' });
});

test('[A8] a slow consumer of events does not make the agent silent', async () => {
  const rig = agentRig();
  const driver = withTimeouts(shellDriver(), { runMs: LONG, silenceMs: 1500 });
  const turn: Turn = {
    agent: { kind: 'shell' },
    message: 'echo said; sleep 0.1; echo more',
    conversation: null,
    maskStream: unmasked,
    runtime: rig.runtime(),
    signal: new AbortController().signal,
  };
  for await (const event of driver.run(turn)) {
    // Longer than the silence allowed, while the agent has said and done everything.
    if (event.kind === 'init') await new Promise((resolve) => setTimeout(resolve, 2000));
    if (event.kind === 'end') expect(event.end.outcome.kind).toBe('succeeded');
  }
});

test('[A8] while a tool runs, silence is allowed', async () => {
  const use = { id: 'call', tool: 'Bash', input: {} };
  const result = { id: 'call', ok: true, text: '' };
  /** No agent with tools is there yet; this one has a tool that takes its time, and then none. */
  const driver: AgentDriver = {
    kind: 'claude',
    capabilities: CAPABILITIES.claude,
    run: async function* ({ signal }) {
      yield { kind: 'event', type: 'agent.tool_use', payload: use };
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(signal.aborted).toBe(false);
      yield { kind: 'event', type: 'agent.tool_result', payload: result };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      const end = { lastMessage: null, exitCode: null, signal: null, stderr: '' };
      yield { kind: 'end', end: { ...end, outcome: { kind: 'stopped' } } };
    },
  };
  const events: DriverEvent[] = [];
  const turn = { signal: new AbortController().signal } as Turn;
  for await (const event of withTimeouts(driver, { runMs: LONG, silenceMs: 100 }).run(turn)) {
    events.push(event);
  }
  expect(events.at(-1)).toMatchObject({
    end: { outcome: timeout('The agent produced no output for 0.1 seconds.') },
  });
});

test('[A8] while one of several tools still runs, silence is allowed', async () => {
  const stopped: boolean[] = [];
  const driver: AgentDriver = {
    kind: 'claude',
    capabilities: CAPABILITIES.claude,
    run: async function* ({ signal }) {
      for (const id of ['a', 'b'])
        yield { kind: 'event', type: 'agent.tool_use', payload: { id, tool: 'Bash', input: {} } };
      for (const id of ['a', 'b']) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        stopped.push(signal.aborted);
        yield { kind: 'event', type: 'agent.tool_result', payload: { id, ok: true, text: '' } };
      }
      const end = { lastMessage: null, exitCode: null, signal: null, stderr: '' };
      yield { kind: 'end', end: { ...end, outcome: { kind: 'stopped' } } };
    },
  };
  const turn = { signal: new AbortController().signal } as Turn;
  for await (const _ of withTimeouts(driver, { runMs: LONG, silenceMs: 100 }).run(turn));
  expect(stopped).toEqual([false, false]);
});

describe('by default', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Says something every so often, until it is stopped. */
  const talking = (everyMs: number): AgentDriver => ({
    kind: 'claude',
    capabilities: CAPABILITIES.claude,
    run: async function* ({ signal }) {
      while (!signal.aborted) {
        const pause = new Promise((resolve) => setTimeout(resolve, everyMs));
        const stop = new Promise((resolve) => signal.addEventListener('abort', resolve));
        await Promise.race([pause, stop]);
        if (!signal.aborted) yield { kind: 'event', type: 'agent.thinking', payload: { text: '' } };
      }
      const end = { lastMessage: null, exitCode: null, signal: null, stderr: '' };
      yield { kind: 'end', end: { ...end, outcome: { kind: 'stopped' } } };
    },
  });

  test.each([
    [11, 10, 'The agent produced no output for 10 minutes.'],
    [9, 60, 'The agent ran for more than 60 minutes.'],
  ])(
    '[A8] an agent that speaks every %i minutes is stopped after %i',
    async (every, after, why) => {
      let end: DriverEvent | null = null;
      const turn = { signal: new AbortController().signal } as Turn;
      const running = (async () => {
        for await (const event of withTimeouts(talking(every * 60_000)).run(turn)) {
          if (event.kind === 'end') end = event;
        }
      })();
      await vi.advanceTimersByTimeAsync(after * 60_000 - 1);
      expect(end).toBeNull();
      await vi.advanceTimersByTimeAsync(1);
      await running;
      expect(end).toMatchObject({ end: { outcome: timeout(why) } });
    },
  );
});
