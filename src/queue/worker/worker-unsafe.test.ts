import { expect, test } from 'vitest';
import { rig } from '../../../test/support/worker-rig.ts';
import type { NewEvent } from '../../contract/event.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { fail } from '../handler-result.ts';
import type { Store } from '../store.ts';

const EVENTS = {
  'agent.tool_use': eventOf('agent.tool_use', { id: '1', tool: 'Bash', input: 'git push' }),
  'agent.tool_result': eventOf('agent.tool_result', { id: '1', ok: true, text: '' }),
};

/** Joins a node that claims a run, writes some events about it, and dies. */
async function cutOff(store: Store, events: NewEvent[]): Promise<void> {
  const node = { id: 'gone', host: 'h', bootId: 'b', pidNamespace: 'n', pid: 1, pidStart: '1' };
  await store.join(
    { ...node, roles: ['worker'], types: ['push'], capacity: 1, version: '1' },
    60_000,
  );
  const caps = { types: {}, perOwner: null };
  const [claimed] = await store.claim({ nodeId: 'gone', types: ['push'], limit: 1, caps });
  await store.write([{ lane: 'l', fence: claimed!.fence, start: true, events }]);
  await store.takeOver(['gone']);
}

test.for([
  { stored: ['agent.tool_use'], state: 'failed', error: 'interrupted_unsafe' },
  { stored: ['agent.tool_use', 'agent.tool_result'], state: 'succeeded', error: undefined },
] as const)(
  '[Q16] the events of an interrupted attempt ($stored) decide whether the next one repeats it: $state',
  async ({ stored, state, error }) => {
    const { queue, base, worker, reaches } = rig();
    queue.register('push', {
      run: async (_, { run, history }) => {
        const before = await history();
        expect(before).toMatchObject([{ ended: 'crashed' }]);
        const log = await queue.events(run.lane, { runId: run.id });
        const begun = log.filter(({ type }) => type === 'agent.tool_use').length;
        const ended = log.filter(({ type }) => type === 'agent.tool_result').length;
        return begun > ended ? fail('interrupted_unsafe', 'A push may have happened.') : null;
      },
    });
    const { id } = await queue.enqueue({ type: 'push', lane: 'l' });
    await cutOff(
      base,
      stored.map((type) => EVENTS[type]),
    );
    await worker().start();
    await reaches(id, state);
    const run = await queue.get(id);
    expect(run?.error?.class).toBe(error);
    expect(run).toMatchObject({ attempts: 1, crashes: 1 });
  },
);
