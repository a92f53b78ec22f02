import { expect, test } from 'vitest';
import { PAYLOAD_MAX } from '../../contract/run.ts';
import {
  AbortReason,
  fail,
  HandlerError,
  handBack,
  leaveWaiting,
  outcomeOf,
  park,
  type Returned,
} from '../handler-result.ts';
import { conclude } from './conclude.ts';

const calm = { committed: null, abort: null, asking: false };
const cancelled = { ...calm, abort: new AbortReason('cancelled', 'cancelled', 'stop') };
const shutdown = { ...calm, abort: new AbortReason('shutdown', 'stopping') };
const nothing: Returned = { value: undefined };
const crash: Returned = { error: new Error('killed') };
const final: Returned = { error: new HandlerError('permission_denied', 'no') };

test.each([
  ['a value', { value: { a: 1 } }, calm, 'succeeded'],
  ['nothing', nothing, calm, 'succeeded'],
  ['a failure', { value: fail('timeout', 'late') }, calm, 'failed'],
  ['an exception', crash, calm, 'failed'],
  ['a value after a cancel', { value: 1 }, cancelled, 'succeeded'],
  ['nothing after a cancel', nothing, cancelled, 'cancelled'],
  ['an exception after a cancel', crash, cancelled, 'cancelled'],
  ['a final failure after a cancel', final, cancelled, 'cancelled'],
  ['a value at shutdown', { value: 1 }, shutdown, 'succeeded'],
  ['nothing at shutdown', nothing, shutdown, 'handed_back'],
  ['an exception at shutdown', crash, shutdown, 'handed_back'],
  ['a final failure at shutdown', final, shutdown, 'failed'],
  ['parking at shutdown', { value: park(1, 'limit') }, shutdown, 'parked'],
  ['a hand-back at shutdown', { value: handBack('why') }, shutdown, 'handed_back'],
  ['nothing at shutdown while asking', nothing, { ...shutdown, asking: true }, 'left_waiting'],
  ['an open question', { value: leaveWaiting() }, calm, 'left_waiting'],
] as const)('[Q20] %s', (_, returned, circumstances, kind) => {
  expect(conclude(returned, circumstances).kind).toBe(kind);
});

test('[Q10] a committed outcome stands, whatever comes after', () => {
  const committed = { kind: 'succeeded', result: 1 } as const;
  for (const returned of [nothing, crash, { value: 2 }, { value: handBack('why') }]) {
    expect(conclude(returned, { ...cancelled, committed })).toBe(committed);
  }
});

test('[Q15] a thrown error keeps its class if the class is known', () => {
  const classOf = (error: unknown) => {
    const outcome = outcomeOf({ error });
    return outcome.kind === 'failed' ? outcome.error : null;
  };
  expect(classOf(new HandlerError('overloaded', 'busy'))).toEqual({
    class: 'overloaded',
    message: 'busy',
  });
  expect(classOf(Object.assign(new Error('x'), { class: 'made up' }))?.class).toBe('unknown');
  expect(classOf({ class: 'timeout' })?.class).toBe('timeout');
  expect(classOf(new Error('a\0b\ud800'))?.message).toBe('a\ufffdb\ufffd');
  expect(classOf(new Error('x'.repeat(1e6)))?.message.length).toBeLessThan(10_000);
  expect(classOf(1n)?.class).toBe('unknown');
});

test('a result that is not JSON, or too large, fails without a retry', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  for (const value of [circle, 1n, Symbol('s'), () => 1, 'x'.repeat(PAYLOAD_MAX)]) {
    const outcome = outcomeOf({ value });
    expect(outcome).toMatchObject({ kind: 'failed', error: { class: 'invalid_payload' } });
  }
});

test('the helpers throw for bad arguments', () => {
  expect(() => park(Number.NaN, 'x')).toThrow('time');
  expect(() => fail('made up' as 'unknown', 'x')).toThrow();
});
