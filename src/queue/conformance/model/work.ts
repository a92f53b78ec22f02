import { expect } from 'vitest';
import { eventOf } from '../../../contract/events/event-of.ts';
import type { Outcome } from '../../../contract/outcome.ts';
import { admit, type ModelAdmission } from './admit.ts';
import { both, NODES, newId, pickFitting, refuse, type Step, step } from './step.ts';
import { CAPS, type ModelLane, type ModelOutcome, PARK_MS, RETRY_MS } from './world.ts';

/* Steps in the life of a run: admission, claim, writes under its fence. */

export const enqueue = (asked: readonly Omit<ModelAdmission, 'id'>[]): Step =>
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

export const claim = (nodeIndex: number, types: readonly string[], limit: number): Step =>
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
    for (const { run: received, fence } of claimed) {
      const lane = world.lane(received.lane) as ModelLane;
      expect(open(lane), `lane ${lane.id} may be claimed`).toBe(true);
      expect(received.id, 'the head of its lane').toBe(world.head(lane)?.id);
      expect(
        world.claims.every((old) => old.fence < fence),
        'a new fence',
      ).toBe(true);
      const run = world.run(received.id);
      Object.assign(run, { state: 'dequeued', attempts: run.attempts + 1, nextRunAt: null });
      lane.queue = lane.queue.filter((id) => id !== run.id);
      Object.assign(lane, { begun: run.id, node: node.id, fence });
      world.claims.push({ lane: lane.id, fence });
    }
    if (claimed.length === 0 && slots > 0) {
      const others = world.nodes.filter(
        (other) => other.host !== node.host && world.isAlive(other.id) && world.freeOn(other) > 0,
      );
      // The slots of a capped type may be left for lanes of another host.
      const competes = (lane: ModelLane, type: string): boolean =>
        world.head(lane)?.type === type &&
        others.some(({ host }) => host === lane.host) &&
        world.hasRoom(type, lane.owner);
      const left = world.lanes.filter((lane) => {
        const type = world.head(lane)?.type ?? '';
        const capped = CAPS.types[type] !== undefined;
        return open(lane) && !(capped && world.lanes.some((one) => competes(one, type)));
      });
      expect(
        left.map(({ id }) => id),
        'no claimable lane is left',
      ).toEqual([]);
    }
  });

export const OUTCOMES: Record<ModelOutcome, (now: number) => Outcome> = {
  succeeded: () => ({ kind: 'succeeded', result: 1 }),
  fails: () => ({ kind: 'failed', error: { class: 'timeout', message: '' } }),
  'fails permanently': () => ({ kind: 'failed', error: { class: 'invalid_request', message: '' } }),
  cancelled: () => ({ kind: 'cancelled' }),
  handed_back: () => ({ kind: 'handed_back', reason: 'asked' }),
  parked: (now) => ({
    kind: 'parked',
    until: now + PARK_MS,
    error: { class: 'usage_limit', message: '' },
  }),
  left_waiting: () => ({ kind: 'left_waiting' }),
};

export interface Wish {
  readonly events: number;
  readonly commit: 'succeeded' | 'fails' | null;
  readonly ask: boolean;
  readonly end: ModelOutcome | null;
}

/** A write under any fence ever assigned, without parts that are invalid in the run's state. */
export const write = (index: number, wish: Wish): Step =>
  step(`write ${JSON.stringify(wish)} under claim #${index}`, async (world, store) => {
    const current = ({ lane, fence }: { lane: string; fence: number }): boolean =>
      world.lane(lane)?.fence === fence;
    const held = pickFitting(world.claims, index, current) ?? { lane: 'l0', fence: 1 };
    const lane = world.lane(held.lane);
    const valid = lane?.fence === held.fence;
    const run = valid ? world.run(lane?.begun ?? '') : undefined;
    const events = Array.from({ length: wish.events }, (_, i) => eventOf('run.progress', i));
    const ask = wish.ask && run?.state !== 'waiting';
    const [answer] = await store.write([
      {
        ...held,
        start: run === undefined || run.state === 'dequeued',
        events,
        ...(wish.commit === null ? {} : { commit: OUTCOMES[wish.commit](world.now) }),
        ask,
        ...(wish.end === null
          ? {}
          : { end: { outcome: OUTCOMES[wish.end](world.now), retryDelayMs: RETRY_MS } }),
      },
    ]);
    expect(answer).toBe(valid);
    if (run === undefined || lane === undefined) return;
    if (run.state === 'dequeued') run.state = 'running';
    if (wish.commit !== null) run.committed = wish.commit;
    if (ask) run.state = 'waiting';
    if (wish.end !== null) world.end(lane, wish.end);
  });
