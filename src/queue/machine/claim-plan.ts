import type { Caps } from '../store.ts';

/*
 * Chooses the ready lanes that a claim takes. This is the synchronous form, used by the memory and
 * SQLite stores. In PostgreSQL, a function in the database takes the same steps
 * (storage/migrations/0013-claim-turns.ts).
 *
 * Each type has its own cursor over the owners that have ready lanes of that type. A claim visits
 * the owners after the cursor and serves those with the fewest executing runs of the type first:
 * one lane each, then more if slots are left. It visits at most 2 × slots + 16 owners, not counting
 * owners at their own cap (at most one per executing run), so its cost depends neither on the
 * backlog nor on the number of waiting owners (Q5). An owner with nothing executing is never
 * skipped while slots are handed out (Q4): the cursor stops before the first such owner that got
 * nothing.
 *
 * Hosts compete for the slots of a capped type. If there are too few slots for all hosts, the next
 * lanes are chosen among all hosts whose workers have free slots; a claim takes its own lanes and
 * leaves slots for the other hosts, which get a hint. A slot is left free for TURN_MS. If a host
 * takes nothing in that time, no more slots are left for it until it takes something again. So a
 * hung host costs that time only once, and no slot stays idle for long.
 */

/** How long a slot is left for a host: four times a worker's polling interval. */
export const TURN_MS = 1000;

/** All hosts except the claiming host, each with the number of free slots its workers have. */
export type OtherHosts = ReadonlyMap<string, number>;

/** A slot left for a host, with the type's cap according to the worker that left it. */
export interface Turn {
  readonly since: number;
  readonly cap: number;
}

/** How many of an owner's next lanes were taken, and the hosts for which a slot was left. */
export interface Shared {
  readonly taken: number;
  readonly left: readonly string[];
}

export interface ReadyLanes {
  cursor(type: string): string | null;
  setCursor(type: string, owner: string | null): void;
  /**
   * Other hosts that have ready lanes of the type pinned to them and live workers with free slots,
   * except those for which a slot was left longer than TURN_MS ago.
   */
  otherHosts(type: string): OtherHosts;
  /**
   * The next owner in order, after `after`, with a ready lane that this host or one of `others` may
   * take.
   */
  nextOwner(type: string, after: string | null, others: OtherHosts): string | null;
  /**
   * Gives an owner up to `count` slots, longest-waiting lanes first: takes up to `here` lanes for
   * this host, and leaves slots for `others`, but no more than they have free.
   */
  share(type: string, owner: string, count: number, here: number, others: OtherHosts): Shared;
  /** Records that a slot is left for a host from now on, unless a slot is already left for it. */
  leave(type: string, host: string, cap: number): void;
  /** The slot left for this host. */
  turn(type: string): Turn | null;
  endTurn(type: string): void;
  /** Whether there is a ready lane that only this host may take. */
  hasOwn(type: string): boolean;
  executingOfType(type: string): number;
  /**
   * The number of the owner's executing runs, including those taken in this claim. If `type` is
   * null, counts all types.
   */
  executingOfOwner(owner: string, type: string | null): number;
}

interface Open {
  readonly type: string;
  readonly cap: number;
  readonly executing: number;
}

interface Candidate {
  readonly owner: string;
  readonly executing: number;
  /** Lanes the owner may still take under its own cap. */
  readonly room: number;
  taken: number;
  left: number;
}

const NO_OTHERS: OtherHosts = new Map();

export function planClaim(
  lanes: ReadyLanes,
  request: { readonly types: readonly string[]; readonly limit: number; readonly caps: Caps },
): number {
  const { caps } = request;
  const open: Open[] = [];
  for (const type of request.types) {
    // A type may be named `constructor`.
    const cap = Object.hasOwn(caps.types, type) ? caps.types[type] : undefined;
    const executing = cap === undefined ? 0 : lanes.executingOfType(type);
    const one = { type, cap: cap ?? Number.POSITIVE_INFINITY, executing };
    if (cap !== undefined) endTurn(lanes, one);
    if (one.cap > executing && lanes.nextOwner(type, null, NO_OTHERS) !== null) open.push(one);
  }
  let left = request.limit;
  // Each type gets an equal share; unused slots pass to the types after it. If slots stay free, the
  // worker claims again immediately, rotating the order of its types each time.
  for (const [index, one] of open.entries()) {
    const here = Math.min(one.cap - one.executing, Math.ceil(left / (open.length - index)));
    if (here > 0) left -= claimType(lanes, one, here, caps.perOwner);
  }
  return request.limit - left;
}

/** A turn is over if there is nothing to take or its slot is occupied. */
function endTurn(lanes: ReadyLanes, { type, executing }: Open): void {
  const turn = lanes.turn(type);
  if (turn !== null && (executing >= turn.cap || !lanes.hasOwn(type))) lanes.endTurn(type);
}

/** Takes up to `here` lanes of a type and returns how many. */
function claimType(
  lanes: ReadyLanes,
  { type, cap, executing }: Open,
  here: number,
  perOwner: number | null,
): number {
  const room = cap - executing;
  const others = competingHosts(lanes, type, room, here);
  let slots = others.size === 0 ? here : Math.min(room, 2 * here + 16);
  const window = scanOwners(lanes, type, slots, perOwner, others);
  if (window.length === 0) return 0;
  // Array.prototype.sort is stable: owners with equal counts keep their order.
  const order = window.toSorted((a, b) => a.executing - b.executing);
  let free = here;
  for (const [index, candidate] of order.entries()) {
    if (slots <= 0 || free <= 0) break;
    const part = (of: number): number => Math.max(1, Math.floor(of / (order.length - index)));
    const want = Math.min(part(slots), slots, candidate.room);
    const { taken, left } = lanes.share(type, candidate.owner, want, part(free), others);
    for (const host of left) {
      others.set(host, (others.get(host) ?? 0) - 1);
      lanes.leave(type, host, cap);
    }
    candidate.taken = taken;
    candidate.left = left.length;
    free -= taken;
    slots -= taken + left.length;
  }
  const passedOver = window.findIndex((c) => c.taken === 0 && (c.executing === 0 || c.left > 0));
  const last = window.at(passedOver === -1 ? -1 : passedOver - 1);
  if (passedOver !== 0 && last !== undefined && last.owner !== lanes.cursor(type)) {
    lanes.setCursor(type, last.owner);
  }
  if (free < here && cap !== Number.POSITIVE_INFINITY) lanes.endTurn(type);
  return here - free;
}

/** Empty if the type's cap leaves room to fill all free slots on this host and the others. */
function competingHosts(
  lanes: ReadyLanes,
  type: string,
  room: number,
  here: number,
): Map<string, number> {
  if (room === Number.POSITIVE_INFINITY) return new Map();
  const others = new Map(lanes.otherHosts(type));
  const needed = [...others.values()].reduce((sum, free) => sum + free, here);
  return room >= needed ? new Map() : others;
}

function scanOwners(
  lanes: ReadyLanes,
  type: string,
  slots: number,
  perOwner: number | null,
  others: OtherHosts,
): Candidate[] {
  const window: Candidate[] = [];
  const most = 2 * slots + 16;
  const from = lanes.cursor(type);
  let idle = 0;
  let first: string | null = null;
  let after = from;
  let wrapped = from === null;
  while (window.length < most && idle < slots) {
    let owner = lanes.nextOwner(type, after, others);
    if (owner === null && !wrapped) {
      wrapped = true;
      owner = lanes.nextOwner(type, null, others);
    }
    // Back at the first owner: every owner has been visited.
    if (owner === null || owner === first) break;
    first ??= owner;
    after = owner;
    const executing = lanes.executingOfOwner(owner, type);
    const room =
      perOwner === null ? Number.POSITIVE_INFINITY : perOwner - lanes.executingOfOwner(owner, null);
    if (room <= 0) continue;
    if (executing === 0) idle++;
    window.push({ owner, executing, room, taken: 0, left: 0 });
  }
  return window;
}
