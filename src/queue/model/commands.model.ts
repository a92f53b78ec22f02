import fc from 'fast-check';
import { expect } from 'vitest';
import type { BatonError } from '../../contract/errors.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { isTerminal, type OnBusy, type RunState, TERMINAL_STATES } from '../../contract/run.ts';
import type { Command, Store } from '../store.ts';
import { admit, type ModelAdmission } from './admit.model.ts';
import { checkAll } from './invariants.model.ts';
import {
  CAPS,
  type ModelLane,
  type ModelOutcome,
  type ModelRun,
  PARK_MS,
  RETRY_MS,
  World,
} from './world.model.ts';

export interface Real {
  readonly store: Store;
  readonly clock: { now: number };
}

type Step = fc.AsyncCommand<World, Real>;

export const LEASE_MS = 20_000;
const NODES = [
  { id: 'n0', host: 'h0', capacity: 2 },
  { id: 'n1', host: 'h0', capacity: 3 },
  { id: 'n2', host: 'h1', capacity: 100 },
];
const LANES = ['l0', 'l1', 'l2'];

/** A step: time passes by a millisecond, so that no two steps share one; then all is compared. */
const step = (label: string, run: (world: World, store: Store) => Promise<void>): Step => ({
  check: () => true,
  async run(world, { store, clock }) {
    clock.now = ++world.now;
    await run(world, store);
    clock.now = world.now;
    await checkAll(world, store);
  },
  toString: () => label,
});

/** Does something on a copy of the model and in the store; both must refuse it, or neither. */
async function both(
  world: World,
  expected: (copy: World) => void,
  real: () => Promise<unknown>,
): Promise<void> {
  const copy = world.copy();
  let refusal: string | null = null;
  try {
    expected(copy);
  } catch (error) {
    refusal = (error as Error).message;
  }
  const answer = await real().then(
    () => null,
    (error: BatonError) => error.code ?? error,
  );
  expect(answer).toEqual(refusal);
  if (refusal === null) Object.assign(world, copy);
}

const refuse = (code: string): never => {
  throw new Error(code);
};

const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % from.length];

/** Mostly one of those a step is made for, sometimes any. */
function pickFitting<T>(
  from: readonly T[],
  index: number,
  fits: (one: T) => boolean,
): T | undefined {
  const fitting = from.filter(fits);
  return pick(index % 5 === 0 || fitting.length === 0 ? from : fitting, Math.floor(index / 5));
}

/** On a run that is in one of the given states, on any other, or on one there is not. */
const onRun = (
  label: string,
  index: number,
  states: readonly RunState[],
  command: (id: string, world: World) => Command,
  expected: (copy: World, run: ModelRun, lane: ModelLane, command: Command) => void,
): Step =>
  step(`${label} run #${index}`, async (world, store) => {
    const chosen = pickFitting(world.runs, index, ({ state }) => states.includes(state));
    const id = chosen?.id ?? 'no such run';
    const asked = command(id, world);
    await both(
      world,
      (copy) => {
        const run = copy.run(id) ?? refuse('not_found');
        expected(copy, run, copy.lane(run.lane) as ModelLane, asked);
      },
      () => store.change(asked),
    );
  });

const newId = (world: World): string => `run-${String(++world.ids).padStart(4, '0')}`;

const mustBeQueued = (run: ModelRun, lane: ModelLane): void => {
  if (run.state !== 'queued' || lane.begun === run.id) refuse('run_not_queued');
};

const enqueue = (asked: readonly Omit<ModelAdmission, 'id'>[]): Step =>
  step(`enqueue ${JSON.stringify(asked)}`, async (world, store) => {
    const admissions = asked.map((one) => ({
      ...one,
      id: newId(world),
    }));
    let receipts: unknown;
    await both(
      world,
      (copy) => {
        receipts = admissions.map((one) => admit(copy, one));
      },
      async () => {
        const got = await store.enqueue(
          admissions.map((one) => ({
            ...one,
            payload: String(one.payload),
            runAt: null,
            idempotencyKey: one.key,
            bodyHash: one.key === null ? null : one.hash,
          })),
        );
        expect(got).toEqual(receipts);
      },
    );
  });

const claim = (nodeIndex: number, types: readonly string[], limit: number): Step =>
  step(`claim ${types} for n${nodeIndex}, at most ${limit}`, async (world, store) => {
    const node = NODES[nodeIndex] as (typeof NODES)[number];
    const request = { nodeId: node.id, types, limit, caps: CAPS };
    if (!world.isAlive(node.id)) {
      await both(
        world,
        () => refuse('node_lost'),
        () => store.claim(request),
      );
      return;
    }
    const claimed = await store.claim(request);
    world.upkeep();
    const slots = Math.min(limit, world.freeOn({ ...node, leaseUntil: 0 }));
    expect(claimed.length).toBeLessThanOrEqual(Math.max(0, slots));
    const open = (lane: ModelLane): boolean => {
      const head = world.head(lane);
      if (head === null || !types.includes(head.type)) return false;
      return (lane.host ?? node.host) === node.host && world.hasRoom(head.type, lane.owner);
    };
    for (const { run: given, fence } of claimed) {
      const lane = world.lane(given.lane) as ModelLane;
      expect(open(lane), `lane ${lane.id} may be claimed`).toBe(true);
      expect(given.id, 'the head of its lane').toBe(world.head(lane)?.id);
      expect(
        world.claims.every((old) => old.fence < fence),
        'a fresh fence',
      ).toBe(true);
      const run = world.run(given.id);
      Object.assign(run, { state: 'dequeued', attempts: run.attempts + 1, nextRunAt: null });
      lane.queue = lane.queue.filter((id) => id !== run.id);
      Object.assign(lane, { begun: run.id, node: node.id, fence });
      world.claims.push({ lane: lane.id, fence });
    }
    if (claimed.length === 0 && slots > 0) {
      expect(
        world.lanes.filter(open).map(({ id }) => id),
        'nothing was left waiting',
      ).toEqual([]);
    }
  });

const OUTCOMES: Record<ModelOutcome, (now: number) => Outcome> = {
  succeeded: () => ({ kind: 'succeeded', result: 1 }),
  fails: () => ({ kind: 'failed', error: { class: 'timeout', message: '' } }),
  'fails for good': () => ({ kind: 'failed', error: { class: 'invalid_request', message: '' } }),
  cancelled: () => ({ kind: 'cancelled' }),
  handed_back: () => ({ kind: 'handed_back', reason: 'asked' }),
  parked: (now) => ({
    kind: 'parked',
    until: now + PARK_MS,
    error: { class: 'usage_limit', message: '' },
  }),
  left_waiting: () => ({ kind: 'left_waiting' }),
};

interface Wish {
  readonly events: number;
  readonly settle: 'succeeded' | 'fails' | null;
  readonly ask: boolean;
  readonly end: ModelOutcome | null;
}

/** A write under any fence ever given out; what the run cannot do in its state is left out. */
const write = (index: number, wish: Wish): Step =>
  step(`write ${JSON.stringify(wish)} under claim #${index}`, async (world, store) => {
    const current = ({ lane, fence }: { lane: string; fence: number }): boolean =>
      world.lane(lane)?.fence === fence;
    const held = pickFitting(world.claims, index, current) ?? { lane: 'l0', fence: 1 };
    const lane = world.lane(held.lane);
    const valid = lane?.fence === held.fence;
    const run = valid ? world.run(lane?.begun ?? '') : undefined;
    const events = Array.from({ length: wish.events }, (_, i) => ({
      type: 'run.progress',
      payload: i,
    }));
    const ask = wish.ask && run?.state !== 'waiting';
    const [answer] = await store.write([
      {
        ...held,
        start: run === undefined || run.state === 'dequeued',
        events,
        ...(wish.settle === null ? {} : { settle: OUTCOMES[wish.settle](world.now) }),
        ask,
        ...(wish.end === null
          ? {}
          : { end: { outcome: OUTCOMES[wish.end](world.now), retryDelayMs: RETRY_MS } }),
      },
    ]);
    expect(answer).toBe(valid);
    if (run === undefined || lane === undefined) return;
    if (run.state === 'dequeued') run.state = 'running';
    if (wish.settle !== null) run.settled = wish.settle;
    if (ask) run.state = 'waiting';
    if (wish.end !== null) world.end(lane, wish.end);
  });

const answer = (index: number): Step =>
  onRun(
    'answer',
    index,
    ['waiting'],
    (run) => ({ do: 'answer', run }),
    (copy, run, lane) => {
      if (run.state !== 'waiting') refuse('run_not_waiting');
      if (lane.node === null) run.state = 'queued';
      else lane.answeredAt ??= copy.now;
    },
  );

const cancel = (index: number, kind: 'stop' | 'interrupt'): Step =>
  onRun(
    `cancel (${kind})`,
    index,
    ['queued', 'running', 'waiting', 'retry_scheduled'],
    (run) => ({ do: 'cancel', run, kind }),
    (copy, run) => {
      if (isTerminal(run.state)) refuse('run_finished');
      copy.cancel(run, kind);
    },
  );

const edit = (index: number): Step =>
  onRun(
    'edit',
    index,
    ['queued'],
    (run) => ({ do: 'edit', run, payload: '77' }),
    (_copy, run, lane) => {
      mustBeQueued(run, lane);
      run.payload = 77;
    },
  );

const move = (index: number, target: number | null): Step =>
  onRun(
    `move before #${target}:`,
    index,
    ['queued'],
    (run, world) => {
      if (target === null) return { do: 'move', run, before: null };
      const near = (one: ModelRun): boolean =>
        one.state === 'queued' && one.lane === world.run(run)?.lane;
      return { do: 'move', run, before: pickFitting(world.runs, target, near)?.id ?? 'none' };
    },
    (copy, run, lane, command) => {
      mustBeQueued(run, lane);
      if (!copy.joined(run)) refuse('run_not_queued');
      const before = command.do === 'move' ? command.before : null;
      if (before !== null && !lane.queue.includes(before)) refuse('invalid_request');
      if (before === run.id) return;
      const others = lane.queue.filter((id) => id !== run.id);
      others.splice(before === null ? others.length : others.indexOf(before), 0, run.id);
      lane.queue = others;
    },
  );

const remove = (index: number): Step =>
  onRun(
    'remove',
    index,
    ['queued'],
    (run) => ({ do: 'remove', run }),
    (copy, run, lane) => {
      mustBeQueued(run, lane);
      lane.queue = lane.queue.filter((id) => id !== run.id);
      copy.runs = copy.runs.filter(({ id }) => id !== run.id);
      // A lane that existed for this run only.
      if (lane.id !== run.id || copy.runs.some((other) => other.lane === lane.id)) return;
      copy.lanes = copy.lanes.filter(({ id }) => id !== lane.id);
    },
  );

const retry = (index: number): Step =>
  onRun(
    'retry',
    index,
    TERMINAL_STATES,
    (run, world) => ({ do: 'retry', run, newId: newId(world) }),
    (copy, run, lane, command) => {
      if (!isTerminal(run.state)) refuse('run_not_finished');
      const id = command.do === 'retry' ? command.newId : '';
      const fresh = { state: 'queued', attempts: 0, crashes: 0, runAt: null } as const;
      const rest = { key: null, error: null, finishedAt: null };
      copy.runs.push({ ...run, ...fresh, ...rest, id, retryOf: run.id });
      lane.queue.unshift(id);
    },
  );

const onLane = (what: 'hold' | 'resume', lane: string): Step =>
  step(`${what} ${lane}`, (world, store) =>
    both(
      world,
      (copy) => {
        const found = copy.lane(lane) ?? refuse('not_found');
        found.held = what === 'hold';
      },
      () => store.change({ do: what, lane }),
    ),
  );

const configure = (
  lane: string,
  settings: { holdOnFailure: boolean; kept: boolean; host: string | null },
): Step =>
  step(`configure ${lane} ${JSON.stringify(settings)}`, async (world, store) => {
    Object.assign(world.openLane(lane, ''), settings);
    await store.change({ do: 'configure', lane, settings });
  });

const bury = (world: World, nodeId: string): void => {
  for (const lane of world.lanes) if (lane.node === nodeId) world.crash(lane);
  world.nodes = world.nodes.filter(({ id }) => id !== nodeId);
};

const reap = (provenDead: readonly string[]): Step =>
  step(`reap ${provenDead}`, async (world, store) => {
    const gone = world.nodes.filter(({ id }) => provenDead.includes(id) || !world.isAlive(id));
    const held = world.lanes.filter(({ node }) => gone.some(({ id }) => id === node));
    const reaped = await store.reap(provenDead);
    expect(reaped.map(({ lane }) => lane).sort()).toEqual(held.map(({ id }) => id).sort());
    for (const { id } of gone) bury(world, id);
  });

const node = (index: number, what: 'join' | 'renew' | 'leave'): Step =>
  step(`${what} n${index}`, async (world, store) => {
    const info = NODES[index] as (typeof NODES)[number];
    const known = world.nodes.find(({ id }) => id === info.id);
    const leaseUntil = world.now + LEASE_MS;
    if (what === 'leave') {
      await store.leave(info.id);
      bury(world, info.id);
    } else if (what === 'renew') {
      const alive = world.isAlive(info.id);
      expect(await store.renew(info.id, LEASE_MS)).toBe(alive);
      if (known !== undefined && alive) known.leaseUntil = leaseUntil;
    } else if (known === undefined) {
      await join(store, info);
      world.nodes.push({ ...info, leaseUntil });
    }
  });

export const join = (store: Store, info: (typeof NODES)[number]): Promise<void> => {
  const identity = { bootId: 'b', pidNamespace: 'p', pid: 1, pidStart: '1', version: '0' };
  return store.join({ ...info, ...identity, roles: ['worker'], types: ['a', 'b'] }, LEASE_MS);
};

const purge = (ageMs: number): Step =>
  step(`purge older than ${ageMs} ms`, async (world, store) => {
    const before = world.now - ageMs;
    const expected = world.purge(before);
    const purged = await store.purge({ before, limit: 10_000 });
    expect(purged.runs).toBe(expected.runs);
    for (const lane of expected.lanes) expect(await store.getLane(lane), lane).toBeNull();
    // A store may also take along lanes that had no run before.
    for (const lane of [...world.lanes]) {
      if (world.runs.some((run) => run.lane === lane.id) || lane.kept || lane.held) continue;
      if ((await store.getLane(lane.id)) === null) world.lanes.splice(world.lanes.indexOf(lane), 1);
    }
  });

const advance = (ms: number): Step =>
  step(`wait ${ms} ms`, async (world) => {
    world.now += ms;
  });

const index = fc.nat({ max: 200 });
const laneName = fc.constantFrom(...LANES);
const nodeIndex = fc.nat({ max: NODES.length - 1 });
const admission = fc.record({
  lane: fc.option(laneName, { freq: 4 }),
  owner: fc.constantFrom('ann', 'bob'),
  type: fc.constantFrom('a', 'a', 'b'),
  payload: fc.nat({ max: 9 }),
  delayMs: fc.constantFrom(null, null, null, 0, 300, 4000),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  key: fc.constantFrom(null, null, null, 'k0', 'k1'),
  hash: fc.constantFrom('h0', 'h0', 'h1'),
  onBusy: fc.constantFrom<OnBusy>('enqueue', 'enqueue', 'enqueue', 'interrupt', 'reject'),
});
const wish = fc.record({
  events: fc.nat({ max: 2 }),
  settle: fc.constantFrom(null, null, null, 'succeeded' as const, 'fails' as const),
  ask: fc.boolean(),
  end: fc.option(fc.constantFrom(...(Object.keys(OUTCOMES) as ModelOutcome[])), { freq: 2 }),
});
const types = fc.subarray(['a', 'b'], { minLength: 1 });
const settings = fc.record({
  holdOnFailure: fc.boolean(),
  kept: fc.boolean(),
  host: fc.constantFrom(null, null, 'h0', 'h1'),
});
const target = fc.option(index, { freq: 3 });
const cancelKind = fc.constantFrom('stop' as const, 'interrupt' as const);
const holding = fc.constantFrom('hold' as const, 'resume' as const, 'resume' as const);
const living = fc.constantFrom('renew' as const, 'renew' as const, 'leave' as const);
const waits = fc.constantFrom(1, 100, 700, 1000, 3000, 21_000);
const dead = fc.subarray(
  NODES.map(({ id }) => id),
  { maxLength: 1 },
);

/** Every step there is; those that make work come up more often. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.array(admission, { minLength: 1, maxLength: 3 }).map(enqueue) },
  { weight: 6, arbitrary: fc.tuple(nodeIndex, types, fc.nat({ max: 4 })).map((a) => claim(...a)) },
  { weight: 8, arbitrary: fc.tuple(index, wish).map((a) => write(...a)) },
  { weight: 4, arbitrary: index.map(answer) },
  { weight: 2, arbitrary: fc.tuple(index, cancelKind).map((a) => cancel(...a)) },
  { weight: 1, arbitrary: index.map(edit) },
  { weight: 2, arbitrary: fc.tuple(index, target).map((a) => move(...a)) },
  { weight: 1, arbitrary: index.map(remove) },
  { weight: 1, arbitrary: index.map(retry) },
  { weight: 2, arbitrary: fc.tuple(holding, laneName).map((a) => onLane(...a)) },
  { weight: 1, arbitrary: fc.tuple(laneName, settings).map((a) => configure(...a)) },
  { weight: 2, arbitrary: waits.map(advance) },
  { weight: 1, arbitrary: dead.map(reap) },
  { weight: 3, arbitrary: nodeIndex.map((n) => node(n, 'join')) },
  { weight: 2, arbitrary: fc.tuple(nodeIndex, living).map((a) => node(...a)) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1000).map(purge) },
);

/** A world with its nodes alive. */
export async function begin(store: Store, clock: { now: number }): Promise<World> {
  const world = new World();
  clock.now = world.now;
  for (const info of NODES) {
    await join(store, info);
    world.nodes.push({ ...info, leaseUntil: world.now + LEASE_MS });
  }
  return world;
}
