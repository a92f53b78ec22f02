import type { Lane } from '../../src/contract/lane.ts';
import type { NodeRecord } from '../../src/contract/node.ts';
import type { Run } from '../../src/contract/run.ts';
import type { Caps, ClaimRequest } from '../../src/queue/store.ts';
import { must } from './broken.ts';
import type { View } from './checker.ts';
import { executing } from './checks.ts';
import { OWNERS, type Story } from './step.ts';

const capOf = ({ types }: Caps, type: string): number =>
  Object.hasOwn(types, type) ? (types[type] as number) : Number.POSITIVE_INFINITY;

const isReady = (lane: Lane): boolean => lane.state === 'ready' && !lane.held;

/** The lanes that a claim could still take. Slots of a capped type may be left for another host. */
export function runnable(
  view: View,
  { types, limit, nodeId, caps }: ClaimRequest,
  host: string,
  { workers }: Story,
): Lane[] {
  const { runs, lanes } = view;
  const now = executing(runs);
  const onNode = [...lanes.values()].filter(
    (lane) => lane.nodeId === nodeId && lane.state === 'running',
  ).length;
  const least = Math.min(...workers.map(({ capacity }) => capacity));
  if (limit <= 0 || onNode >= least) return [];
  return [...lanes.values()].filter(
    (lane) =>
      isReady(lane) &&
      types.includes(lane.headType ?? '') &&
      (lane.host === null || lane.host === host) &&
      hasRoom(now, caps, lane.headType ?? '', lane.owner) &&
      !competes(view, caps, lane.headType ?? '', host),
  );
}

/** Whether a worker on another host has a free slot for a waiting lane of the type. */
function competes({ runs, lanes, nodes }: View, caps: Caps, type: string, host: string): boolean {
  if (capOf(caps, type) === Number.POSITIVE_INFINITY) return false;
  const now = executing(runs);
  const all = [...lanes.values()];
  const free = ({ id, capacity }: NodeRecord): boolean =>
    all.filter(({ nodeId, state }) => nodeId === id && state === 'running').length < capacity;
  const hosts = [...nodes.values()].filter((node) => node.types.includes(type) && free(node));
  return all.some(
    (lane) =>
      isReady(lane) &&
      lane.headType === type &&
      lane.host !== host &&
      hosts.some((node) => node.host === lane.host) &&
      hasRoom(now, caps, type, lane.owner),
  );
}

function hasRoom(now: readonly Run[], caps: Caps, type: string, owner: string): boolean {
  if (now.filter((run) => run.type === type).length >= capOf(caps, type)) return false;
  return caps.perOwner === null || now.filter((run) => run.owner === owner).length < caps.perOwner;
}

/**
 * Q4 in starts: with U waiting owners and N slots, an owner's first run starts within ⌈U/N⌉+1 run
 * times, and N runs start per run time. As long as no slot can be left for another host, the claim
 * promises more: while an owner with nothing executing waits, every other owner (and runs without
 * one) is served at most once.
 */
export class Fairness {
  /** By type and waiting owner: all starts of others, and those while no slot could be left. */
  readonly #passedOver = new Map<string, { readonly all: number; readonly strict: number }>();

  check(before: View, after: View, started: readonly string[], caps: Caps): void {
    if (started.length === 0 && this.#passedOver.size === 0) return;
    const byId = new Map(after.runs.map((run) => [run.id, run]));
    const startedRuns = started.flatMap((id) => byId.get(id) ?? []);
    for (const type of ['a', 'b']) {
      const still = waitingOwners(after, type, caps);
      const mayLeave = hasPinned(before, type) || hasPinned(after, type);
      const most = mostStarts(capOf(caps, type));
      const waiting = new Set(waitingOwners(before, type, caps).filter((o) => still.includes(o)));
      for (const owner of OWNERS) {
        const key = `${type} ${owner}`;
        const starts = startedRuns.filter((run) => run.type === type);
        const served = starts.some((run) => run.owner === owner);
        if (!waiting.has(owner) || served) {
          this.#passedOver.delete(key);
          continue;
        }
        const count = starts.length;
        const { all, strict } = this.#passedOver.get(key) ?? { all: 0, strict: 0 };
        const passed = { all: all + count, strict: strict + (mayLeave ? 0 : count) };
        must(
          passed.strict <= OWNERS.length && passed.all <= most,
          'fair between owners',
          () => `${passed.all} runs of type ${type} started before the first of ${owner}`,
        );
        if (passed.all > 0) this.#passedOver.set(key, passed);
      }
    }
  }
}

/** Q4's bound for the starts of others; runs without an owner count as one more owner. */
const mostStarts = (slots: number): number =>
  slots === Number.POSITIVE_INFINITY
    ? OWNERS.length
    : slots * (Math.ceil((OWNERS.length + 1) / slots) + 1);

const hasPinned = ({ lanes }: View, type: string): boolean =>
  [...lanes.values()].some((lane) => isReady(lane) && lane.headType === type && lane.host !== null);

/** Owners without an executing run of the type that wait for a slot on any host. */
function waitingOwners({ runs, lanes }: View, type: string, caps: Caps): string[] {
  const now = executing(runs);
  return [...lanes.values()]
    .filter(
      (lane) =>
        isReady(lane) &&
        lane.headType === type &&
        lane.host === null &&
        hasRoom(now, { types: {}, perOwner: caps.perOwner }, type, lane.owner) &&
        !now.some((run) => run.owner === lane.owner && run.type === type),
    )
    .map(({ owner }) => owner);
}
