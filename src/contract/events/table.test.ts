import { describe, expect, test } from 'vitest';
import { agentEvent, type DriverEvent } from '../../agents/driver.ts';
import type { Notes } from '../../cli/output/event-notes.ts';
import { memoryQueue } from '../../library.ts';
import type { LaneChange } from '../../queue/machine/lane-change.ts';
import type { Command } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { Steering } from '../../sessions/messages/steering.ts';
import type { RecorderOptions } from '../../sessions/turn/recorder.ts';
import { AnyEventType } from '../event.ts';
import type { Json } from '../values/json.ts';
import { eventOf } from './event-of.ts';
import {
  EVENTS,
  type EventOf,
  type EventPayloads,
  type HandlerEvents,
  payloadOf,
} from './table.ts';
import { typeOf } from './type-of.ts';

/*
 * Whatever emits or reads an event is typed by the table. The compiler checks this file: it reports
 * each `@ts-expect-error` whose line it accepts. The functions are compiled but never called.
 */

const compiles = (_: (...parts: never[]) => unknown): void => {};
const ERROR = { class: 'timeout', message: 'late' } as const;
const ANY = expect.anything() as never;
declare const isSet: boolean;

describe('[E1] a misspelt field, a missing field and a misspelt type do not compile', () => {
  test('in a lane change', () => {
    compiles((change: LaneChange) => {
      change.log('run.parked', { error: ERROR, until: 1 }, null);
      // @ts-expect-error: a misspelt field
      change.log('run.parked', { error: ERROR, untill: 1 }, null);
      // @ts-expect-error: a missing field
      change.log('run.parked', { error: ERROR }, null);
      // @ts-expect-error: a field of another kind
      change.log('run.parked', { error: ERROR, until: 'soon' }, null);
      // @ts-expect-error: a field that is undefined, which is not JSON
      change.log('session.created', { name: 'one', forkedFrom: undefined }, null);
      // @ts-expect-error: a misspelt type
      change.log('run.park', { error: ERROR, until: 1 }, null);
      change.log('session.created', { name: 'one', ...(isSet && { forkedFrom: 'two' }) }, null);
      // @ts-expect-error: a misspelt field that is spread
      change.log('session.created', { name: 'one', ...(isSet && { forkdFrom: 'two' }) }, null);
      // @ts-expect-error: a misspelt field in one branch
      change.log('session.created', isSet ? { name: 'one' } : { name: 'one', forked: '2' }, null);
      change.append(eventOf('session.resumed', {}), null);
      // @ts-expect-error: an event that eventOf() did not check
      change.append({ type: 'session.resumed', payload: {} }, null);
    });
  });

  test('in a payload that a function returns in one of two forms', () => {
    compiles((name: string) => {
      const whole = eventOf('session.created', { name }).payload;
      // The type of both forms together would not have the misspelt field.
      if (isSet) return whole;
      // @ts-expect-error: a misspelt field
      return eventOf('session.created', { ...whole, forkdFrom: 'two' }).payload;
    });
  });

  test('in an attempt of an agent', () => {
    compiles(({ emit }: AttemptContext<HandlerEvents>) => {
      void emit('policy.allowed', { callId: '1', tool: 'Bash', reason: 'yes' });
      // @ts-expect-error: a misspelt field
      void emit('policy.allowed', { callID: '1', tool: 'Bash', reason: 'yes' });
      // @ts-expect-error: a missing field
      void emit('policy.allowed', { callId: '1', tool: 'Bash' });
      // @ts-expect-error: a misspelt type
      void emit('policy.allow', { callId: '1', tool: 'Bash', reason: 'yes' });
      // @ts-expect-error: a type that only the queue may emit
      void emit('run.start', {});
      const init = { agent: 'claude', cwd: '/', ...(isSet && { modell: 'opus' }) };
      // @ts-expect-error: a misspelt field in a variable
      void emit('agent.init', init);
    });
  });

  test('in what uses an attempt of an agent', () => {
    // @ts-expect-error: a context that does not name its events, and so would emit any
    compiles(({ emit }: AttemptContext) => emit('agent.notcie', { txt: 1 }));
    compiles((context: Parameters<Steering['open']>[0]) => {
      // @ts-expect-error: it emits nothing
      void context.emit('agent.notice', { text: 'one' });
    });
  });

  test('in the recorder', () => {
    compiles(({ context: { emit } }: RecorderOptions) => {
      void emit('agent.notice', { text: 'one', gap: true });
      // @ts-expect-error: a misspelt field
      void emit('agent.notice', { text: 'one', gaps: true });
      // @ts-expect-error: a missing field
      void emit('agent.notice', { gap: true });
      // @ts-expect-error: a misspelt type
      void emit('agent.notices', { text: 'one' });
    });
    compiles(
      ({ context: { emit } }: RecorderOptions, event: EventPayloads['agent.tool_result']) => {
        const { text, ...rest } = event;
        const cut = isSet ? { text, truncated: true } : { text };
        void emit('agent.tool_result', { ...rest, ...cut });
        const instead = isSet ? { txt: text } : { text };
        // @ts-expect-error: a misspelt field in one of two forms
        void emit('agent.tool_result', { ...rest, ...instead });
        const beside = isSet ? { text, truncatd: true } : { text };
        // @ts-expect-error: an unknown field in one of two forms
        void emit('agent.tool_result', { ...rest, ...beside });
      },
    );
  });

  test('in an event of a driver', () => {
    const kind = 'event';
    compiles((text: string): DriverEvent[] => [
      { kind, type: 'agent.thinking', payload: { text } },
      // @ts-expect-error: a misspelt field
      { kind, type: 'agent.thinking', payload: { texts: text } },
      // @ts-expect-error: a missing field
      { kind, type: 'agent.thinking', payload: {} },
      // @ts-expect-error: a misspelt type
      { kind, type: 'agent.thinks', payload: { text } },
      // @ts-expect-error: a type that has a kind of its own
      { kind, type: 'agent.message', payload: { text } },
      agentEvent('agent.thinking', { text, ...(isSet && { truncated: true }) }),
      // @ts-expect-error: a misspelt field that is spread
      agentEvent('agent.thinking', { text, ...(isSet && { trunkated: true }) }),
      // @ts-expect-error: a type that has a kind of its own
      agentEvent('agent.message', { text }),
    ]);
  });

  test('in an event outside a run', () => {
    const type = 'approval.withdrawn';
    const known = { approvalId: ANY, callId: '1' };
    compiles((reason: string): EventOf<'approval.withdrawn'>[] => [
      { type, payload: { ...known, reason } },
      // @ts-expect-error: a misspelt field
      { type, payload: { ...known, reasons: reason } },
      // @ts-expect-error: a missing field
      { type, payload: known },
      // @ts-expect-error: a misspelt type
      { type: 'approval.withdraw', payload: { ...known, reason } },
      eventOf(type, { ...known, reason }),
      // @ts-expect-error: a misspelt field that is spread
      eventOf(type, { ...known, reason, ...(isSet && { edited: true }) }),
    ]);
    compiles((lane: string): Command[] => [
      { do: 'note', lane, event: eventOf('session.cost', { costUsd: 1 }) },
      // @ts-expect-error: an event that eventOf() did not check
      { do: 'note', lane, event: { type: 'session.cost', payload: { costUsd: 1 } } },
    ]);
  });

  test('in a payload that SQL writes', () => {
    compiles((type: string) => [
      JSON.stringify({ type } satisfies EventPayloads['run.queued']),
      // @ts-expect-error: a misspelt field
      JSON.stringify({ types: type } satisfies EventPayloads['run.queued']),
    ]);
  });

  test('in a note on the command line', () => {
    compiles((): Notes[] => [
      { 'session.cost': ({ costUsd }) => `${costUsd}` },
      // @ts-expect-error: a misspelt field
      { 'session.cost': ({ costUSD }) => `${costUSD}` },
      // @ts-expect-error: a misspelt type
      { 'session.costs': ({ costUsd }: { costUsd: number }) => `${costUsd}` },
    ]);
  });

  test('where an event is read', () => {
    compiles((event: { readonly type: string; readonly payload: Json }) => [
      payloadOf('done', event)?.state,
      typeOf(event) === 'done',
      // @ts-expect-error: a misspelt field
      payloadOf('done', event)?.status,
      // @ts-expect-error: a misspelt type
      payloadOf('finished', event),
      // @ts-expect-error: a misspelt type
      typeOf(event) === 'finished',
    ]);
  });
});

test('[Q17] handlers of a program emit events of any type, or only those that they declare', () => {
  type Own = { 'copy.begun': { readonly files: number } };
  const queue = memoryQueue();
  queue.register('open', { run: (_, { emit }) => emit('any.type', { any: 'field' }) });
  queue.register('copy', {
    run: (_, { emit }: AttemptContext<Own>) => [
      emit('copy.begun', { files: 1 }),
      // @ts-expect-error: a misspelt field
      emit('copy.begun', { file: 1 }),
      // @ts-expect-error: a misspelt type
      emit('copy.began', { files: 1 }),
    ],
  });
  expect(queue.handlers.executable()).toEqual(['open', 'copy']);
});

test('[E1] an event of another type, or in a form that is not known, has no payload', () => {
  const payload = { state: 'succeeded' };
  expect(payloadOf('done', { type: 'done', payload })).toEqual(payload);
  expect(payloadOf('done', { type: 'run.finished', payload })).toBeUndefined();
  expect(payloadOf('done', { type: 'done', payload: { state: 'new' } })).toBeUndefined();
  expect(payloadOf('done', { type: 'done', payload: null })).toBeUndefined();
});

test('[E1] every type in the table is one that may be stored', () => {
  for (const type of Object.keys(EVENTS)) expect(AnyEventType.safeParse(type).success).toBe(true);
});
