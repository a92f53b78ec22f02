import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { cuttingProxy } from '../../test/support/cutting-proxy.ts';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { freePort } from '../../test/support/server-rig.ts';
import { streamRig, TOKEN } from '../../test/support/stream-rig.ts';
import { range } from '../../test/support/tails.ts';
import { until } from '../../test/support/until.ts';
import type { SessionEvent } from '../contract/session-event.ts';
import { createClient } from './client.ts';

const fast = { limits: { retryMs: 1 } };
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

/** Reads until `count` events have come, or the stream ends. */
async function read(events: AsyncIterable<SessionEvent>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

test('[E2] [E3] every event is seen once and in order, however often the connection breaks', async () => {
  const rig = await streamRig(fast);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 6000 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 60 }),
      async (cuts, live) => {
        const id = await rig.session(40);
        const rest = [...cuts];
        const proxy = await cuttingProxy(rig.url, () => rest.shift() ?? Number.POSITIVE_INFINITY);
        const client = createClient({ url: proxy.url, token: TOKEN });
        const reading = read(client.followSession(id), 40 + live);
        for (let i = 0; i < live; i++) await rig.note(id, { i, text: '行'.repeat(i) });
        expect(await reading).toEqual(range(1, 40 + live));
      },
    ),
    { numRuns: 8 },
  );
  await until(() => rig.streams.count === 0 && rig.connected() === 0);
}, 120_000);

test('[E2] a run is followed over broken connections until its done event', async () => {
  const rig = await streamRig(fast);
  const id = await rig.session();
  const run = await rig.run(id, 60);
  let connections = 0;
  const proxy = await cuttingProxy(rig.url, () => (connections++ < 15 ? 1700 : 1e9));
  const client = createClient({ url: proxy.url, token: TOKEN });
  const types: string[] = [];
  for await (const { type } of client.followRun(run)) types.push(type);
  expect(types.filter((type) => type === 'agent.delta')).toHaveLength(60);
  expect(types.filter((type) => type === 'done')).toHaveLength(1);
  expect(types.at(-1)).toBe('done');
  expect(proxy.connections()).toBeGreaterThan(5);
  const direct = createClient({ url: rig.url, token: TOKEN });
  const last = (await direct.runEvents({ params: { id: run }, query: { limit: 1000 } })).items;
  expect(await read(client.followRun(run, { after: last.at(-1)?.seq ?? 0 }), 1)).toEqual([]);
});

test('[E3] the stream continues after the server restarts, and its reader is notified', async () => {
  const port = await freePort();
  const dataDir = temporaryDirectory();
  const first = await streamRig({ ...fast, port, dataDir });
  const id = await first.session(5);
  const client = createClient({ url: first.url, token: TOKEN });
  const states: string[] = [];
  const errors: unknown[] = [];
  const seen: number[] = [];
  const reading = (async () => {
    const onState = (state: string, error?: Error): void => {
      states.push(state);
      if (error !== undefined) errors.push(error);
    };
    for await (const { seq } of client.followSession(id, { onState })) {
      seen.push(seq);
      if (seen.length === 8) return;
    }
  })();
  await until(() => seen.length === 5);
  await first.stop();
  // It tries to reconnect while the server is down.
  await until(() => errors.length > 0);
  expect(errors[0]).toMatchObject({ code: 'server_unreachable' });
  const second = await streamRig({ ...fast, port, dataDir });
  for (let i = 0; i < 3; i++) await second.note(id);
  await reading;
  expect(seen).toEqual(range(1, 8));
  expect(states[0]).toBe('connected');
  expect(states.at(-1)).toBe('connected');
  expect(states).toContain('reconnecting');
}, 60_000);

test('gives up if another attempt would not help', async () => {
  const rig = await streamRig(fast);
  const id = await rig.session(3);
  const client = createClient({ url: rig.url, token: TOKEN });
  const none = crypto.randomUUID();
  expect(await failure(client.followSession(none).next())).toMatchObject({ code: 'not_found' });
  expect(await failure(client.followRun(none).next())).toMatchObject({ code: 'not_found' });
  const ahead = client.followSession(id, { after: 4 });
  expect(await failure(ahead.next())).toMatchObject({ code: 'cursor_ahead' });
  const other = createClient({ url: rig.url, token: 'another' });
  expect(await failure(other.followSession(id).next())).toMatchObject({ code: 'unauthorized' });
  expect(await failure(other.hints().next())).toMatchObject({ code: 'unauthorized' });
});

test('ends with its signal, and when its reader stops reading', async () => {
  const rig = await streamRig(fast);
  const id = await rig.session(3);
  const client = createClient({ url: rig.url, token: TOKEN });
  const stop = new AbortController();
  const reading = read(client.followSession(id, { signal: stop.signal }), 100);
  await until(() => rig.streams.count === 1);
  stop.abort();
  expect((await reading).length).toBeLessThanOrEqual(3);
  expect(await read(client.followSession(id, { signal: stop.signal }), 1)).toEqual([]);
  expect(await read(client.followSession(id), 2)).toEqual([1, 2]);
  await until(() => rig.streams.count === 0);
});

test('[E9] hints start with `all`, and repeat it after a broken connection', async () => {
  const rig = await streamRig(fast);
  const id = await rig.session();
  let connections = 0;
  const proxy = await cuttingProxy(rig.url, () => (connections++ === 0 ? 900 : 1e9));
  const client = createClient({ url: proxy.url, token: TOKEN });
  const hints = client.hints();
  onTestFinished(async () => void (await hints.return()));
  expect((await hints.next()).value).toEqual({ all: true });
  const timer = setInterval(() => void rig.note(id), 20);
  let alls = 0;
  let hinted = 0;
  while (alls === 0 || hinted === 0) {
    const { value } = await hints.next();
    if (value !== undefined && 'all' in value) alls++;
    else if (value?.sessionId === id) hinted++;
  }
  clearInterval(timer);
  expect(proxy.connections()).toBe(2);
});

/** A server that sends what the test says on each connection, and then nothing. */
async function scripted(script: (response: ServerResponse, connection: number) => void) {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    script(response, ++connections);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const frame = (seq: number): string => {
  const at = new Date(0).toISOString();
  const event = { seq, sessionId: 's', runId: null, attempt: null, type: 'a.b', payload: 1, at };
  return `id: ${seq}\nevent: a.b\ndata: ${JSON.stringify(event)}\n\n`;
};

test('a silent connection is closed, and the next one continues', async () => {
  const url = await scripted((response, n) => response.write(frame(n)));
  const states: string[] = [];
  const events = createClient({ url }).followSession('s', {
    silenceMs: 50,
    onState: (state) => states.push(state),
  });
  expect(await read(events, 3)).toEqual([1, 2, 3]);
  expect(states.slice(0, 3)).toEqual(['connected', 'reconnecting', 'connected']);
});

test('pings keep an idle connection open', async () => {
  let pings = 0;
  const url = await scripted((response, n) => {
    const timer = setInterval(() => {
      response.write(++pings < 20 ? ': ping\n\n' : frame(n));
    }, 20);
    response.on('close', () => clearInterval(timer));
  });
  // Far above the interval of pings, so a busy machine does not seem silent.
  const events = createClient({ url }).followSession('s', { silenceMs: 2000 });
  expect(await read(events, 1)).toEqual([1]);
});

test('events that were seen are not repeated, and a stream that goes back is an error', async () => {
  const overlapping = await scripted((response, n) => {
    response.end(n === 1 ? frame(1) + frame(2) : frame(1) + frame(2) + frame(5));
  });
  const client = createClient({ url: overlapping });
  expect(await read(client.followSession('s'), 3)).toEqual([1, 2, 5]);
  const backwards = await scripted((response) => response.end(frame(3) + frame(2)));
  const reading = read(createClient({ url: backwards }).followSession('s'), 5);
  expect(await failure(reading)).toMatchObject({ code: 'bad_answer' });
});

test('waits longer after each failure, and at least as long as the server asks', async () => {
  const at: number[] = [];
  const url = await scripted((response, n) => {
    at.push(performance.now());
    response.end(n < 4 ? 'retry: 30\n\n' : frame(1));
  });
  expect(await read(createClient({ url }).followSession('s', { random: () => 0 }), 1)).toEqual([1]);
  const gaps = at.slice(1).map((time, i) => time - (at[i] as number));
  // Timers may be late, never early (a millisecond of rounding aside).
  for (const [i, least] of [100, 200, 400].entries()) expect(gaps[i]).toBeGreaterThan(least - 2);
});
