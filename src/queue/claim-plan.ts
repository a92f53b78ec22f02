import type { Caps } from './store.ts';

/*
 * Which ready lanes a claim takes: the synchronous form, used by the memory and SQLite stores.
 * PostgreSQL has the same steps as one function in the database (storage/migrations/0004-claim-runs.ts).
 *
 * Each type has its own cursor over the owners that have ready lanes of it. A claim looks at owners
 * past the cursor, takes those with fewest runs of the type executing first, one lane each, then
 * more if slots are left. It looks at no more than 2 × slots + 16 owners, those at their own cap
 * aside (of whom there are no more than runs executing), so its cost depends neither on the backlog
 * nor on the number of waiting owners (Q5). An owner with nothing executing
 * is never passed over while slots are given out (Q4): the cursor stops before the first such owner
 * that got nothing.
 */

export interface ReadyLanes {
  cursor(type: string): string | null;
  setCursor(type: string, owner: string | null): void;
  /** The next owner in order, after `after`, with a ready lane of the type this host may take. */
  nextOwner(type: string, after: string | null): string | null;
  /** Takes up to `count` ready lanes of an owner, longest ready first; answers how many. */
  take(type: string, owner: string, count: number): number;
  executingOfType(type: string): number;
  /** Those taken in this claim included; `type` null counts all types. */
  executingOfOwner(owner: string, type: string | null): number;
}

interface Candidate {
  readonly owner: string;
  readonly executing: number;
  /** Lanes the owner may still take under its own cap. */
  readonly room: number;
  taken: number;
}

export function planClaim(
  lanes: ReadyLanes,
  request: { readonly types: readonly string[]; readonly limit: number; readonly caps: Caps },
): number {
  const { caps } = request;
  const open = request.types.flatMap((type) => {
    // A type may be called `constructor`.
    const cap = Object.hasOwn(caps.types, type) ? caps.types[type] : undefined;
    const room = cap === undefined ? Number.POSITIVE_INFINITY : cap - lanes.executingOfType(type);
    return room > 0 && lanes.nextOwner(type, null) !== null ? [{ type, room }] : [];
  });
  let left = request.limit;
  // Each type gets an equal share, and what one leaves goes to those after it. Slots that stay free
  // are claimed at once again by the worker, which turns the order of its types each time.
  for (const [index, { type, room }] of open.entries()) {
    const share = Math.min(room, Math.ceil(left / (open.length - index)));
    if (share > 0) left -= claimType(lanes, type, share, caps.perOwner);
  }
  return request.limit - left;
}

function claimType(
  lanes: ReadyLanes,
  type: string,
  slots: number,
  perOwner: number | null,
): number {
  const window = scanOwners(lanes, type, slots, perOwner);
  if (window.length === 0) return 0;
  // Array.prototype.sort is stable: owners with equally many keep their turn.
  const order = window.toSorted((a, b) => a.executing - b.executing);
  let left = slots;
  for (const [index, candidate] of order.entries()) {
    const share = Math.max(1, Math.floor(left / (order.length - index)));
    const want = Math.min(share, left, candidate.room);
    if (want > 0) candidate.taken = lanes.take(type, candidate.owner, want);
    left -= candidate.taken;
  }
  const passedOver = window.findIndex((c) => c.executing === 0 && c.taken === 0);
  const last = window.at(passedOver === -1 ? -1 : passedOver - 1);
  if (passedOver !== 0 && last !== undefined && last.owner !== lanes.cursor(type)) {
    lanes.setCursor(type, last.owner);
  }
  return slots - left;
}

function scanOwners(
  lanes: ReadyLanes,
  type: string,
  slots: number,
  perOwner: number | null,
): Candidate[] {
  const window: Candidate[] = [];
  const most = 2 * slots + 16;
  const from = lanes.cursor(type);
  let idle = 0;
  let first: string | null = null;
  let after = from;
  let wrapped = from === null;
  while (window.length < most && idle < slots) {
    let owner = lanes.nextOwner(type, after);
    if (owner === null && !wrapped) {
      wrapped = true;
      owner = lanes.nextOwner(type, null);
    }
    // Back at the first one seen: the circle is closed.
    if (owner === null || owner === first) break;
    first ??= owner;
    after = owner;
    const executing = lanes.executingOfOwner(owner, type);
    const room =
      perOwner === null ? Number.POSITIVE_INFINITY : perOwner - lanes.executingOfOwner(owner, null);
    if (room <= 0) continue;
    if (executing === 0) idle++;
    window.push({ owner, executing, room, taken: 0 });
  }
  return window;
}
