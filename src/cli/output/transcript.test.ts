import { expect, test } from 'vitest';
import type { SessionEvent } from '../../contract/session-event.ts';
import type { Json } from '../../contract/values/json.ts';
import { Transcript } from './transcript.ts';

const clock = (time: number) => new Date(time).toISOString().slice(11, 19);

function read(...events: [type: string, payload: Json, more?: Partial<SessionEvent>][]) {
  const transcript = new Transcript(clock);
  return events.flatMap(([type, payload, more], index) =>
    transcript.next({
      seq: index + 1,
      sessionId: 's',
      runId: 'r',
      attempt: 1,
      at: '2026-11-15T10:30:00.000Z',
      type,
      payload,
      ...more,
    }),
  );
}

const textOf = (...events: Parameters<typeof read>): string =>
  read(...events)
    .map((each) => (each.kind === 'text' ? each.text : each.kind === 'pause' ? '|' : ''))
    .join('');

const delta = (text: string, stream?: string): [string, Json] => [
  'agent.delta',
  stream === undefined ? { text } : { text, stream },
];
const message = (text: string): [string, Json] => ['agent.message', { text }];

test('[C1] a message is shown once, by its pieces', () => {
  expect(textOf(delta('he'), delta('llo'), message('hello'))).toBe('hello|');
  expect(textOf(delta('a'), message('a'), delta('b'), message('b'))).toBe('a|b|');
});

test('[E6] the message fills in for removed pieces', () => {
  expect(textOf(message('hello'))).toBe('hello|');
  expect(textOf(delta('he'), message('hello'))).toBe('hello|');
});

test('[C1] a message that is shorter than its pieces or differs from them adds nothing', () => {
  expect(textOf(delta('hello there'), message('hello'))).toBe('hello there|');
  expect(textOf(delta('oops\n', 'stderr'), delta('fine'), message('fine'))).toBe('oops\nfine|');
});

test('[C1] pieces of an interrupted attempt do not count for the next one', () => {
  const restarted: [string, Json] = ['run.restarted', { crashes: 1 }];
  const shown = read(delta('he'), restarted, message('hello'));
  expect(shown).toEqual([
    { kind: 'text', text: 'he', stream: 'stdout' },
    { kind: 'note', text: 'The worker stopped; the run will start again.', detail: false },
    { kind: 'text', text: 'hello', stream: 'stdout' },
    { kind: 'pause' },
  ]);
});

test('[C1] runs do not mix', () => {
  expect(
    textOf(delta('one'), ['agent.message', { text: 'two' }, { runId: 'other' }], message('one')),
  ).toBe('onetwo||');
});

test('[C1] stderr stays stderr', () => {
  expect(read(delta('bad', 'stderr'))).toEqual([{ kind: 'text', text: 'bad', stream: 'stderr' }]);
});

test.each<[string, Json, string, boolean]>([
  [
    'run.retry_scheduled',
    {
      error: { class: 'network_error', message: 'The network is down' },
      nextRunAt: Date.parse('2026-11-15T10:30:02Z'),
      delayMs: 2000,
    },
    'The network is down. Retrying at 10:30:02.',
    false,
  ],
  [
    'run.finished',
    { state: 'failed', error: { class: 'command_failed', message: 'Exit code 3.' } },
    'Failed: Exit code 3. (command_failed)',
    false,
  ],
  [
    'run.finished',
    { state: 'cancelled', error: { class: 'user_cancelled', message: 'Cancelled' } },
    'Cancelled.',
    false,
  ],
  ['run.start', {}, 'Run started, attempt 1', true],
  [
    'session.status',
    { from: 'PENDING', to: 'ACTIVE', reason: 'ready' },
    'Session preparing → ready (workspace ready)',
    true,
  ],
])('[C1] %s is described in a sentence', (type, payload, text, detail) => {
  expect(read([type, payload])).toEqual([{ kind: 'note', text, detail }]);
});

test('[E5] an event of a newer server, or with an unknown payload, is ignored', () => {
  expect(read(['agent.dance', {}], ['agent.delta', { words: 1 }], ['toString', {}])).toEqual([]);
});
