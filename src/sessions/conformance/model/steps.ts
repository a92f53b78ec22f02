import fc from 'fast-check';
import { expect } from 'vitest';
import { newId } from '../../../contract/values/ids.ts';
import { admission } from '../../../queue/conformance/rig.ts';
import type { SessionCommand } from '../../session-store.ts';
import type { SessionStores } from '../rig.ts';
import { newSessionOf } from '../rig.ts';
import { checkAll } from './invariants.ts';
import { type ModelSession, QUEUE_MAX, Refused, type World } from './world.ts';

export interface Real {
  readonly store: SessionStores;
  readonly clock: { now: number };
  /** Claimed runs that have not ended. */
  readonly held: Map<string, { lane: string; fence: number }>;
}

export type Step = fc.AsyncCommand<World, Real>;

const WORKER = 'worker';
const NODES = ['api-0', 'api-1'];
const LEASE_MS = 200_000;
const NAMES = ['one', 'two'];

/**
 * A step: a millisecond passes, so that no two steps share a timestamp; then everything is
 * compared.
 */
const step = (label: string, run: (world: World, real: Real) => Promise<void>): Step => ({
  check: () => true,
  async run(world, real) {
    real.clock.now = ++world.now;
    await run(world, real);
    real.clock.now = world.now;
    await checkAll(world, real.store);
  },
  toString: () => label,
});

/** A step on one of the existing sessions. */
const onSession = (
  label: string,
  index: number,
  run: (world: World, real: Real, session: ModelSession) => Promise<void>,
): Step =>
  step(`${label} (${index})`, async (world, real) => {
    const session = world.sessions[index % world.sessions.length];
    if (session !== undefined) await run(world, real, session);
  });

/**
 * The store must refuse what the model refuses, with the same code; the model then stays unchanged.
 */
async function both<T>(world: World, wish: (world: World) => T, call: () => Promise<T>) {
  const after = world.copy();
  let expected: T;
  try {
    expected = wish(after);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await expect(call()).rejects.toMatchObject({ code: error.code });
    return;
  }
  expect(await call()).toEqual(expected);
  Object.assign(world, after);
}

const sessionIn = (world: World, { id }: ModelSession): ModelSession =>
  world.sessions.find((one) => one.id === id) as ModelSession;

/** Most are made ready at once, because most steps apply to ready sessions. */
const create = (index: number, timeoutMs: number, ready: boolean): Step =>
  step(`create ${NAMES[index]}`, async (world, { store }) => {
    const id = newId(world.now);
    const name = NAMES[index] as string;
    await both(
      world,
      (after) => {
        if (after.sessions.some((one) => one.name === name)) throw new Refused('name_taken');
        after.sessions.push({
          id,
          name,
          status: 'PENDING',
          reason: 'created',
          timeoutMs,
          readyAt: null,
          idleSince: null,
          archived: false,
          moves: [],
          running: null,
          queued: [],
          later: [],
          keys: {},
          connections: [],
          emittedConnections: 0,
        });
        if (ready) after.change(after.sessions.at(-1) as ModelSession, 'ready');
      },
      async () => {
        await store.createSession({
          ...newSessionOf(id, name),
          idleTimeoutSeconds: timeoutMs / 1000,
          holdOnFailure: false,
        });
        if (ready) await store.changeSession(id, { do: 'ready', path: '/w' });
      },
    );
  });

const COMMANDS: Record<string, SessionCommand> = {
  ready: { do: 'ready', path: '/w' },
  fail: { do: 'fail', error: 'broken' },
  complete: { do: 'complete' },
  asked: { do: 'terminate', reason: 'asked' },
  orphan: { do: 'terminate', reason: 'orphan' },
  reopen: { do: 'reopen' },
  retry: { do: 'retry' },
  archive: { do: 'archive' },
};

const change = (what: string, index: number): Step =>
  onSession(what, index, (world, { store }, session) =>
    both(
      world,
      (after) => after.change(sessionIn(after, session), what),
      async () => void (await store.changeSession(session.id, COMMANDS[what] as SessionCommand)),
    ),
  );

const timer = (index: number, timeoutMs: number): Step =>
  onSession(`timer ${timeoutMs}`, index, async (_, { store }, session) => {
    const changes = { idleTimeoutSeconds: timeoutMs / 1000 };
    await store.changeSession(session.id, { do: 'update', changes });
    session.timeoutMs = timeoutMs;
  });

type Wish = Omit<Parameters<World['send']>[1], 'id'>;

const send = (index: number, wish: Wish): Step =>
  onSession(`send ${JSON.stringify(wish)}`, index, async (world, { store }, session) => {
    const id = newId(world.now);
    const { onBusy, delayMs, key, body } = wish;
    await both(
      world,
      (after) => after.send(sessionIn(after, session), { ...wish, id }),
      async () => {
        const { receipt } = await store.sendMessage({
          sessionId: session.id,
          admission: admission({
            id,
            onBusy,
            delayMs: delayMs === 0 ? null : delayMs,
            idempotencyKey: key,
            bodyHash: key === null ? null : body,
          }),
          original: null,
          queueMax: QUEUE_MAX,
        });
        const { lane: _, state: __, ...answered } = receipt;
        return answered;
      },
    );
  });

const connect = (index: number, node: number): Step =>
  onSession(`connect to ${NODES[node]}`, index, async (world, { store }, session) => {
    const id = newId(world.now);
    const nodeId = NODES[node] as string;
    await both(
      world,
      (after) => {
        if (!after.alive(nodeId)) throw new Refused('node_lost');
        const entered = sessionIn(after, session);
        entered.connections.push({ id, node: nodeId });
        if (entered.status === 'IDLE') after.set(entered, 'ACTIVE', 'connected');
      },
      async () => {
        const connection = { id, userId: 'ann', kind: 'sse' } as const;
        await store.openConnections({ sessionId: session.id, nodeId }, [connection]);
      },
    );
  });

const disconnect = (index: number): Step =>
  onSession('disconnect', index, async (_, { store }, session) => {
    const gone = session.connections.shift();
    await store.closeConnections(gone === undefined ? [] : [gone.id]);
  });

const join = (node: number): Step =>
  step(`join ${NODES[node]}`, async (world, { store }) => {
    await joinNode(store, NODES[node] as string, LEASE_MS);
    world.leases[NODES[node] as string] = world.now + LEASE_MS;
  });

const leave = (node: number): Step =>
  step(`leave ${NODES[node]}`, async (world, { store }) => {
    await store.leave(NODES[node] as string);
    delete world.leases[NODES[node] as string];
  });

const work = step('work', async (world, { store, held }) => {
  const caps = { types: {}, perOwner: null };
  const claimed = await store.claim({ nodeId: WORKER, types: ['task'], limit: 1, caps });
  world.joinDue();
  const free = world.sessions.filter((one) => one.running === null && one.queued.length > 0);
  expect(claimed).toHaveLength(Math.min(1, free.length));
  for (const { run, fence } of claimed) {
    const session = free.find(({ id }) => id === run.lane) as ModelSession;
    expect(session.queued.shift()).toBe(run.id);
    session.running = run.id;
    held.set(run.id, { lane: run.lane, fence });
  }
});

const finish = (index: number): Step =>
  step('finish', async (world, { store, held }) => {
    const run = [...held.keys()][index % held.size];
    const claim = held.get(run ?? '');
    if (run === undefined || claim === undefined) return;
    held.delete(run);
    const end = { outcome: { kind: 'succeeded', result: null } as const, retryDelayMs: 0 };
    expect(await store.write([{ ...claim, start: true, end }])).toEqual([true]);
    const session = world.sessions.find(({ id }) => id === claim.lane) as ModelSession;
    session.running = null;
  });

const reconcile = step('reconcile', async (world, { store }) => {
  const { changes, more, nextAt } = await store.reconcileSessions(100);
  const changed = world.reconcile();
  expect(changes.map(({ sessionId }) => sessionId).sort()).toEqual(changed.sort());
  expect(more).toBe(false);
  const times = world.sessions.map((one) => world.destroyAt(one)).filter((at) => at !== null);
  expect(nextAt).toBe(times.length === 0 ? null : Math.min(...times));
});

const remove = (index: number): Step =>
  onSession('delete', index, async (world, { store }, session) => {
    if (session.running === null) {
      await store.deleteSession(session.id);
      world.sessions = world.sessions.filter((one) => one !== session);
      return;
    }
    const removal = store.deleteSession(session.id);
    await expect(removal).rejects.toMatchObject({ code: 'session_busy' });
    world.cancelQueued(session);
  });

const advance = (ms: number): Step =>
  step(`advance ${ms}`, async (world) => {
    world.now += ms;
  });

async function joinNode(store: SessionStores, id: string, leaseMs: number): Promise<void> {
  const identity = { bootId: '', pidNamespace: '', pid: 1, pidStart: '' };
  const does = { roles: ['worker' as const], types: ['task'], capacity: 100, version: '' };
  await store.join({ id, host: 'h', ...identity, ...does }, leaseMs);
}

/** Registers a worker that stays alive, and nodes with connections. */
export async function begin(world: World, real: Real): Promise<void> {
  real.clock.now = world.now;
  await joinNode(real.store, WORKER, 10 ** 12);
  for (const node of NODES) {
    await joinNode(real.store, node, LEASE_MS);
    world.leases[node] = world.now + LEASE_MS;
  }
}

const index = fc.nat({ max: 50 });
const node = fc.nat({ max: NODES.length - 1 });
const timeout = fc.constantFrom(0, 30_000, 600_000);
const wish = fc.record({
  onBusy: fc.constantFrom<Wish['onBusy']>('enqueue', 'enqueue', 'reject', 'interrupt'),
  delayMs: fc.constantFrom(0, 0, 0, 90_000),
  key: fc.constantFrom(null, null, 'k0', 'k1'),
  body: fc.constantFrom('b0', 'b0', 'b1'),
});
const mostly = fc.constantFrom(true, true, false);
/** Ended sessions are usually reopened; otherwise no further step would apply to them. */
const back = ['ready', 'ready', 'reopen', 'reopen', 'retry'];
const what = fc.constantFrom(...Object.keys(COMMANDS), ...back);

/** Every step; those that advance sessions are more likely. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.nat({ max: 1 }), timeout, mostly).map((a) => create(...a)) },
  { weight: 6, arbitrary: fc.tuple(what, index).map((a) => change(...a)) },
  { weight: 5, arbitrary: fc.tuple(index, wish).map((a) => send(...a)) },
  { weight: 3, arbitrary: fc.tuple(index, node).map((a) => connect(...a)) },
  { weight: 2, arbitrary: index.map(disconnect) },
  { weight: 2, arbitrary: node.map(join) },
  { weight: 1, arbitrary: node.map(leave) },
  { weight: 3, arbitrary: fc.constant(work) },
  { weight: 3, arbitrary: index.map(finish) },
  { weight: 5, arbitrary: fc.constant(reconcile) },
  { weight: 1, arbitrary: fc.tuple(index, timeout).map((a) => timer(...a)) },
  { weight: 1, arbitrary: index.map(remove) },
  { weight: 4, arbitrary: fc.constantFrom(1000, 30_000, 60_000, 600_000).map(advance) },
);
