import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { cuttingProxy } from '../../../test/support/cutting-proxy.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { freePort } from '../../../test/support/server-rig.ts';
import { streamRig } from '../../../test/support/stream-rig.ts';
import { range } from '../../../test/support/tails.ts';
import { until } from '../../../test/support/until.ts';
import type { SessionEvent, SessionHint } from '../../contract/session-event.ts';
import type { Client } from '../client.ts';

/** One connection that a test plays by hand. */
export interface Played {
  event(seq: number): void;
  ping(): void;
  end(): void;
  onClose(then: () => void): void;
}

/** A transport under test. */
export interface Subject {
  /** How many bytes the server sends before the first event, roughly. */
  readonly handshakeBytes: number;
  /** How many connections it takes to open a stream. */
  readonly connections: number;
  /** A new credential of an administrator, of the kind that the transport's front end has. */
  signIn(rig: Rig): Promise<SignedIn>;
  /** A server that does what the test says on each connection, and a client of it. */
  scripted(play: (connection: Played, n: number) => void): Promise<Client>;
}

export interface SignedIn {
  /** A client of the server, which it reaches at this URL. */
  client(url: string): Client;
  /** A client whose credential is not valid. */
  stranger(url: string): Client;
  revoke(): Promise<unknown>;
}

export type Rig = Awaited<ReturnType<typeof streamRig>>;

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

/** An event as the API sends it. */
export const eventText = (seq: number): string => {
  const at = new Date(0).toISOString();
  return JSON.stringify({
    seq,
    sessionId: 's',
    runId: null,
    attempt: null,
    type: 'a.b',
    payload: 1,
    at,
  });
};

/** What every transport must do, from the point of view of the client that uses it. */
export function transportSuite(subject: Subject): void {
  test('[E2] [E3] every event is seen once and in order, however often the connection breaks', async () => {
    const rig = await streamRig(fast);
    const signedIn = await subject.signIn(rig);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 60 }),
        async (cuts, live) => {
          const id = await rig.session(40);
          // The first two may break the handshake; if all did, the waits would grow to minutes.
          const rest = cuts.map((cut, i) => (i < 2 ? cut : cut + subject.handshakeBytes));
          const proxy = await cuttingProxy(rig.url, () => rest.shift() ?? Number.POSITIVE_INFINITY);
          const client = signedIn.client(proxy.url);
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
    const signedIn = await subject.signIn(rig);
    const id = await rig.session();
    const run = await rig.run(id, 60);
    let connections = 0;
    const proxy = await cuttingProxy(rig.url, () => (connections++ < 15 ? 1700 : 1e9));
    const client = signedIn.client(proxy.url);
    const types: string[] = [];
    for await (const { type } of client.followRun(run)) types.push(type);
    expect(types.filter((type) => type === 'agent.delta')).toHaveLength(60);
    expect(types.filter((type) => type === 'done')).toHaveLength(1);
    expect(types.at(-1)).toBe('done');
    expect(proxy.connections()).toBeGreaterThan(5);
    const direct = signedIn.client(rig.url);
    const last = (await direct.runEvents({ params: { id: run }, query: { limit: 1000 } })).items;
    expect(await read(client.followRun(run, { after: last.at(-1)?.seq ?? 0 }), 1)).toEqual([]);
  });

  test('[E3] the stream continues after the server restarts, and its reader is notified', async () => {
    const port = await freePort();
    const dataDir = temporaryDirectory();
    const first = await streamRig({ ...fast, port, dataDir });
    const id = await first.session(5);
    const client = (await subject.signIn(first)).client(first.url);
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
    expect(states.join()).toMatch(/connected,(reconnecting,)+connected/);
  }, 60_000);

  test('gives up if another attempt would not help', async () => {
    const rig = await streamRig(fast);
    const signedIn = await subject.signIn(rig);
    const id = await rig.session(3);
    const client = signedIn.client(rig.url);
    const none = crypto.randomUUID();
    expect(await failure(client.followSession(none).next())).toMatchObject({ code: 'not_found' });
    expect(await failure(client.followRun(none).next())).toMatchObject({ code: 'not_found' });
    const ahead = client.followSession(id, { after: 4 });
    expect(await failure(ahead.next())).toMatchObject({ code: 'cursor_ahead' });
    const other = signedIn.stranger(rig.url);
    expect(await failure(other.followSession(id).next())).toMatchObject({ code: 'unauthorized' });
    expect(await failure(other.hints().next())).toMatchObject({ code: 'unauthorized' });
  });

  test('ends with its signal, and when its reader stops reading', async () => {
    const rig = await streamRig(fast);
    const id = await rig.session(3);
    const client = (await subject.signIn(rig)).client(rig.url);
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
    const signedIn = await subject.signIn(rig);
    const id = await rig.session();
    const proxy = await cuttingProxy(rig.url, () => Number.POSITIVE_INFINITY);
    const hints = signedIn.client(proxy.url).hints();
    onTestFinished(async () => void (await hints.return()));
    const timer = setInterval(() => void rig.note(id), 20);
    onTestFinished(() => clearInterval(timer));
    const isAll = (hint: SessionHint): boolean => 'all' in hint;
    const next = async (isWanted: (hint: SessionHint) => boolean): Promise<void> => {
      for (let hint = await hints.next(); hint.done !== true; hint = await hints.next())
        if (isWanted(hint.value)) return;
    };
    expect((await hints.next()).value).toEqual({ all: true });
    await next((hint) => 'sessionId' in hint && hint.sessionId === id);
    proxy.cutAll();
    await next(isAll);
    await next((hint) => 'sessionId' in hint && hint.sessionId === id);
    expect(proxy.connections()).toBe(2 * subject.connections);
  });

  test('a silent connection is closed, and the next one continues', async () => {
    const client = await subject.scripted((connection, n) => {
      // From the first on, because a busy machine may seem silent before it has sent anything.
      for (const seq of range(1, n)) connection.event(seq);
    });
    const states: string[] = [];
    const events = client.followSession('s', {
      silenceMs: 300,
      onState: (state) => states.push(state),
    });
    expect(await read(events, 3)).toEqual([1, 2, 3]);
    expect(states.join()).toMatch(/connected,(reconnecting,)+connected/);
  });

  test('pings keep an idle connection open', async () => {
    let pings = 0;
    const client = await subject.scripted((connection, n) => {
      const timer = setInterval(() => {
        if (++pings < 20) connection.ping();
        else connection.event(n);
      }, 20);
      connection.onClose(() => clearInterval(timer));
    });
    // Far above the interval of pings, so a busy machine does not seem silent.
    const events = client.followSession('s', { silenceMs: 2000 });
    expect(await read(events, 1)).toEqual([1]);
  });

  test('events that were seen are not repeated, and a stream that goes back is an error', async () => {
    const overlapping = await subject.scripted((connection, n) => {
      for (const seq of n === 1 ? [1, 2] : [1, 2, 5]) connection.event(seq);
      connection.end();
    });
    expect(await read(overlapping.followSession('s'), 3)).toEqual([1, 2, 5]);
    const backwards = await subject.scripted((connection) => {
      for (const seq of [3, 2]) connection.event(seq);
      connection.end();
    });
    const reading = read(backwards.followSession('s'), 5);
    expect(await failure(reading)).toMatchObject({ code: 'bad_answer' });
  });

  test('waits longer after each failure', async () => {
    const at: number[] = [];
    const client = await subject.scripted((connection, n) => {
      at.push(performance.now());
      if (n === 4) connection.event(1);
      connection.end();
    });
    expect(await read(client.followSession('s', { random: () => 0 }), 1)).toEqual([1]);
    const gaps = at.slice(1).map((time, i) => time - (at[i] as number));
    // Timers may be late, never early (a millisecond of rounding aside).
    for (const [i, least] of [100, 200, 400].entries()) expect(gaps[i]).toBeGreaterThan(least - 2);
  });

  test('[X2] a stream ends with an error once its credential is revoked', async () => {
    const rig = await streamRig(fast);
    const signedIn = await subject.signIn(rig);
    const id = await rig.session(3);
    const client = signedIn.client(rig.url);
    const events = client.followSession(id);
    const hints = client.hints();
    expect((await hints.next()).value).toEqual({ all: true });
    for (const seq of [1, 2, 3]) expect((await events.next()).value).toMatchObject({ seq });
    await signedIn.revoke();
    expect(await failure(events.next())).toMatchObject({ code: 'unauthorized' });
    expect(await failure(hints.next())).toMatchObject({ code: 'unauthorized' });
  });
}
