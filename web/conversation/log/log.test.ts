import { expect, test } from 'vitest';
import { BatonError } from '../../../src/contract/errors.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import { type LogOptions, type LogView, SessionLog } from './log.ts';

/** A server with a log of notices and a stream that the test controls. */
function server(count: number) {
  const stored: SessionEvent[] = [];
  const requests: string[] = [];
  const queue: SessionEvent[] = [];
  let wake = (): void => {};
  const add = (type = 'agent.notice', runId = 'r'): SessionEvent => {
    const seq = stored.length + 1;
    const at = '2026-01-01T00:00:00.000Z';
    const payload = { text: `${seq}` };
    const event = { seq, sessionId: 's', runId, attempt: 1, type, payload, at };
    stored.push(event);
    return event;
  };
  for (let i = 0; i < count; i++) add();
  const source = {
    sessionEvents: async ({ query }: { query: { after: number; limit: number } }) => {
      requests.push(`page ${query.after}`);
      if (query.after > stored.length) throw new BatonError('cursor_ahead');
      // Pages may be shorter than requested.
      const items = stored.slice(query.after, query.after + Math.min(query.limit, 300));
      const last = items.at(-1)?.seq ?? query.after;
      return { items, nextCursor: last < stored.length ? last : null };
    },
    async *followSession(_: string, { after, signal }: { after: number; signal: AbortSignal }) {
      requests.push(`follow ${after}`);
      signal.addEventListener('abort', () => wake());
      yield* stored.slice(after);
      while (!signal.aborted) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    getRun: async ({ params }: { params: { id: string } }) => {
      requests.push(`run ${params.id}`);
      if (params.id === 'gone') throw new BatonError('not_found');
      return { id: params.id, message: `of ${params.id}` };
    },
    listRuns: async () => {
      requests.push('runs');
      return { items: [{ id: 'r', message: 'hello' }], nextCursor: null };
    },
  };
  return {
    requests,
    add,
    /** Sends over the stream. */
    send(...events: SessionEvent[]) {
      queue.push(...events);
      wake();
    },
    source: source as unknown as LogOptions['source'],
  };
}

const logOf = ({ source }: { source: LogOptions['source'] }) =>
  new SessionLog({
    sessionId: 's',
    source,
    soon: (show) => void Promise.resolve().then(show),
    onChange: () => {},
    onError: () => {},
  });

const until = (log: SessionLog, holds: (view: LogView) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (!holds(log.get())) return;
      stop();
      resolve();
    };
    const stop = log.subscribe(check);
    check();
  });
const seqs = (log: SessionLog): number[] => log.get().rows.map(({ seq }) => seq);
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('[C2] [E4] the end is loaded first, then new events, and older ones on demand', async () => {
  const there = server(2500);
  const log = logOf(there);
  log.start(2500);
  await until(log, ({ rows }) => rows.at(-1)?.seq === 2500);
  expect(seqs(log)).toEqual(range(2101, 2500));
  there.send(there.add());
  await until(log, ({ rows }) => rows.at(-1)?.seq === 2501);
  await log.loadOlder();
  await until(log, ({ older }) => older === 'some');
  expect(seqs(log)).toEqual(range(1101, 2501));
  await log.loadOlder(3);
  await until(log, ({ older }) => older === 'none');
  expect(seqs(log)).toEqual(range(1, 2501));
  log.stop();
});

test('[E1] an event of a type that is also a name in JavaScript does not stop the log', async () => {
  const there = server(1);
  const log = logOf(there);
  log.start(1);
  await until(log, ({ state, rows }) => state === 'live' && rows.length === 1);
  there.send(there.add('constructor'), there.add());
  await until(log, ({ rows }) => rows.length === 2);
  expect(log.get().state).toBe('live');
  log.stop();
});

test('[E3] after a stop and a start it continues, with each event once', async () => {
  const there = server(3);
  const log = logOf(there);
  log.start(3);
  await until(log, ({ rows }) => rows.length === 3);
  log.stop();
  const missed = [there.add(), there.add()];
  log.start(5);
  await until(log, ({ rows }) => rows.length === 5);
  // Known events are repeated, as after a lost connection.
  there.send(...missed, there.add());
  await until(log, ({ rows }) => rows.length === 6);
  expect(seqs(log)).toEqual(range(1, 6));
  log.stop();
});

test('old runs are read by the page, new ones singly, each once; removed runs are recognised', async () => {
  const there = server(5);
  const log = logOf(there);
  log.start(5);
  await until(log, ({ runs }) => runs.get('r')?.message === 'hello');
  there.send(there.add('run.queued', 'x'), there.add('run.dequeued', 'x'));
  await until(log, ({ runs }) => runs.get('x')?.message === 'of x');
  there.send(there.add('run.queued', 'gone'));
  await until(log, ({ runs }) => runs.get('gone') === null);
  expect(there.requests.filter((each) => each.startsWith('run'))).toEqual([
    'runs',
    'run x',
    'run gone',
  ]);
  log.stop();
});

test('[Q12] a removed run is requested only once', async () => {
  const there = server(1);
  there.add('run.queued', 'removed');
  there.add('run.finished', 'removed');
  const log = logOf(there);
  log.start(3);
  await until(log, ({ runs }) => runs.get('removed') === null);
  expect(there.requests.filter((each) => each.startsWith('run'))).toEqual(['runs']);
  log.stop();
});

test('a log shorter than expected is read from its beginning', async () => {
  const there = server(3);
  const log = logOf(there);
  log.start(5000);
  await until(log, ({ rows }) => rows.length === 3);
  log.stop();
});

test('a read error is shown and can be retried', async () => {
  const there = server(3);
  let isDown = true;
  const source = {
    ...there.source,
    sessionEvents: (...args: Parameters<typeof there.source.sessionEvents>) =>
      isDown ? Promise.reject(new BatonError('forbidden')) : there.source.sessionEvents(...args),
  };
  const log = logOf({ source });
  log.start(3);
  await until(log, ({ state }) => state === 'failed');
  expect(log.get().error).toMatchObject({ code: 'forbidden' });
  isDown = false;
  log.start(3);
  await until(log, ({ rows }) => rows.length === 3);
  log.stop();
});

test('[C2] a search reads the whole log, and stops when it is closed', async () => {
  const there = server(9000);
  const log = logOf(there);
  log.start(9000);
  // Before the first load.
  log.wantWhole(true);
  await until(log, ({ rows }) => rows[0] !== undefined && rows[0].seq < 8601);
  log.wantWhole(false);
  await until(log, ({ older }) => older === 'some');
  const read = there.requests.filter((each) => each.startsWith('page')).length;
  const first = seqs(log)[0]!;
  expect(first).toBeGreaterThan(1);
  await Promise.resolve();
  expect(there.requests.filter((each) => each.startsWith('page'))).toHaveLength(read);
  log.wantWhole(true);
  await until(log, ({ older, rows }) => older === 'none' && rows.at(-1)?.seq === 9000);
  expect(seqs(log)).toEqual(range(1, 9000));
  // A log this large is not kept.
  log.stop();
  await until(log, ({ rows }) => rows.length === 0);
  log.start(9000);
  await until(log, ({ rows }) => rows.at(-1)?.seq === 9000);
  expect(seqs(log)).toEqual(range(8601, 9000));
  log.stop();
});

test('[C2] [E3] older events that arrive after the log was dropped and read again are not shown', async () => {
  const there = server(9000);
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const source = {
    ...there.source,
    sessionEvents: async (...args: Parameters<typeof there.source.sessionEvents>) => {
      if (args[0].query?.after === 1600) {
        hold();
        await isReleased;
      }
      return there.source.sessionEvents(...args);
    },
  };
  const log = logOf({ source });
  log.start(9000);
  await until(log, ({ rows }) => rows.at(-1)?.seq === 9000);
  await log.loadOlder(2700);
  const older = log.loadOlder();
  await isHeld;
  // A log this large is not kept.
  log.stop();
  await until(log, ({ rows }) => rows.length === 0);
  log.start(9000);
  await until(log, ({ rows }) => rows.at(-1)?.seq === 9000);
  release();
  await older;
  await until(log, ({ older }) => older === 'some');
  expect(seqs(log)).toEqual(range(8601, 9000));
  log.stop();
});

test('older events that cannot be read are not requested over and over', async () => {
  const there = server(2000);
  let requests = 0;
  const source = {
    ...there.source,
    sessionEvents: (...args: Parameters<typeof there.source.sessionEvents>) => {
      if (args[0].query?.after === 1600) return there.source.sessionEvents(...args);
      requests++;
      return Promise.reject(new BatonError('not_found'));
    },
  };
  const log = logOf({ source });
  log.start(2000);
  await until(log, ({ rows }) => rows.at(-1)?.seq === 2000);
  await log.loadOlder(1);
  await until(log, ({ state }) => state === 'failed');
  expect(log.get().error).toMatchObject({ code: 'not_found' });
  expect(requests).toBe(1);
  log.stop();
});
