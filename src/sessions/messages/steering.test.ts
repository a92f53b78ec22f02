import { expect, test } from 'vitest';
import { BatonError } from '../../contract/errors.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import { SILENT } from '../../queue/logger.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { SteerRecord } from './steer-store.ts';
import { Steering } from './steering.ts';

const steer = (id: string): SteerRecord => ({
  id,
  runId: 'run',
  sessionId: 'session',
  message: `message ${id}`,
  original: null,
  sender: 'sender',
  state: 'waiting',
});

function rig() {
  const state = {
    steers: [] as SteerRecord[],
    reads: 0,
    refused: '',
    hint: (): void => {},
    /** Calls that fail, in this order, because the database is unavailable. */
    failing: [] as string[],
  };
  const call = async <T>(name: string, value: T): Promise<T> => {
    if (state.failing[0] !== name) return value;
    state.failing.shift();
    throw new BatonError('database_unreachable');
  };
  const marked: string[] = [];
  const steering = new Steering({
    store: {
      listSteers: async () => {
        state.reads++;
        return state.steers;
      },
      markSteer: async (id, given) => {
        await call('markSteer', null);
        marked.push(`${id} ${given ? 'given' : 'waiting'}`);
        return true;
      },
      onHint: (listener) => {
        state.hint = () => listener({ lanes: [], nodes: ['node'], topics: [] });
        return () => {};
      },
    },
    textOf: ({ message }) => message,
    isAllowed: ({ id }) => call('isAllowed', id !== state.refused),
    nodeId: () => 'node',
    log: SILENT,
  });
  const { signal } = new AbortController();
  const context = { run: { id: 'run' }, fence: 7, signal } as AttemptContext<HandlerEvents>;
  return { state, marked, feed: steering.open(context) };
}

test('[Q11] each message is recorded as given once, before it is given', async () => {
  const { state, marked, feed } = rig();
  const messages = feed[Symbol.asyncIterator]();
  const first = messages.next();
  state.steers = [steer('1'), steer('2')];
  state.hint();
  expect(await first).toEqual({ done: false, value: 'message 1' });
  state.hint();
  expect(await messages.next()).toEqual({ done: false, value: 'message 2' });
  expect(marked).toEqual(['1 given', '2 given']);
  const third = messages.next();
  await feed.close();
  expect(await third).toEqual({ done: true, value: undefined });
  expect(marked).toHaveLength(2);
});

test('[O5] a message is given, or put back, once the database responds again', async () => {
  const { state, marked, feed } = rig();
  state.steers = [steer('1')];
  state.hint();
  const messages = feed[Symbol.asyncIterator]();
  state.failing = ['isAllowed', 'markSteer'];
  expect(await messages.next()).toEqual({ done: false, value: 'message 1' });
  state.failing = ['markSteer'];
  await feed.close();
  expect(marked).toEqual(['1 given', '1 waiting']);
});

test('[X3] a message whose sender may no longer use the session is not given', async () => {
  const { state, marked, feed } = rig();
  state.refused = '1';
  state.steers = [steer('1'), steer('2')];
  state.hint();
  const messages = feed[Symbol.asyncIterator]();
  expect(await messages.next()).toEqual({ done: false, value: 'message 2' });
  expect(marked).toEqual(['2 given']);
  await feed.close();
});

test('[Q11] a message that the agent did not take is put back', async () => {
  const { state, marked, feed } = rig();
  const messages = feed[Symbol.asyncIterator]();
  state.steers = [steer('1'), steer('2')];
  state.hint();
  await messages.next();
  await messages.return?.();
  expect(marked).toEqual(['1 given', '1 waiting']);
  expect(await messages.next()).toEqual({ done: true, value: undefined });
});

test('[Q11] a message that was being given when the agent ended is put back, too', async () => {
  const { state, marked, feed } = rig();
  const messages = feed[Symbol.asyncIterator]();
  state.steers = [steer('1')];
  feed.put(steer('1'));
  const next = messages.next();
  await feed.close();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(marked).toEqual(['1 given', '1 waiting']);
});
