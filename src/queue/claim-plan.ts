import type { Caps } from './store.ts';

/*
 * Which ready lanes a claim takes: the synchronous form, used by the memory and SQLite stores.
 * PostgreSQL has the same steps as one function in the database (storage/postgres/pick.ts).
 *
 * Each type has its own cursor over the owners that have ready lanes of it. A claim looks at owners
 * past the cursor, takes those with fewest runs of the type executing first, one lane each, then
 * more if slots are left. It looks at no more than 2 × slots + 16 owners, so its cost depends
 * neither on the backlog nor on the number of waiting owners (Q5). An owner with nothing executing
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
  /** `type` null counts all types. */
  executingOfOwner(owner: string, type: string | null): number;
}

interface Candidate {
  readonly owner: string;
  executing: number;
  /** Lanes the owner may still take under its own cap. */
  room: number;
  taken: number;
}

export function planClaim(
  lanes: ReadyLanes,
  request: { readonly types: readonly string[]; readonly limit: number; readonly caps: Caps },
): number {
  const { caps } = request;
  const room = new Map<string, number>();
  for (const type of request.types) {
    const cap = caps.types[type];
    const free = cap === undefined ? Number.POSITIVE_INFINITY : cap - lanes.executingOfType(type);
    if (free > 0) room.set(type, free);
  }
  let left = request.limit;
  // First an equal share for each type, then what is left to whoever can use it.
  for (const share of [true, false]) {
    let typesLeft = room.size;
    for (const [type, free] of room) {
      if (left <= 0) break;
      const most = Math.min(free, share ? Math.ceil(left / typesLeft) : left);
      typesLeft--;
      const taken = most > 0 ? claimType(lanes, type, most, caps.perOwner) : 0;
      room.set(type, free - taken);
      left -= taken;
    }
    if (room.size <= 1) break;
  }
  return request.limit - left;
}

function claimType(lanes: ReadyLanes, type: string, slots: number, perOwner: number | null): number {
  const window = scanOwners(lanes, type, slots, perOwner);
  if (window.length === 0) return 0;
  // Array.prototype.sort is stable: owners with equally many keep their turn.
  const order = [...window].sort((a, b) => a.executing - b.executing).filter((c) => c.room > 0);
  let left = slots;
  let progress = true;
  while (left > 0 && progress) {
    progress = false;
    const share = Math.max(1, Math.floor(left / order.length));
    for (const candidate of order) {
      const want = Math.min(share, left, candidate.room - candidate.taken);
      if (want <= 0) continue;
      const got = lanes.take(type, candidate.owner, want);
      if (got > 0) progress = true;
      candidate.taken += got;
      left -= got;
    }
  }
  const passedOver = window.findIndex((c) => c.executing === 0 && c.taken === 0 && c.room > 0);
  const stop = passedOver === -1 ? window.length - 1 : passedOver - 1;
  if (stop >= 0 && window.length > 1) lanes.setCursor(type, window[stop]!.owner);
  return slots - left;
}

function scanOwners(lanes: ReadyLanes, type: string, slots: number, perOwner: number | null): Candidate[] {
  const window: Candidate[] = [];
  const most = 2 * slots + 16;
  const from = lanes.cursor(type);
  let idle = 0;
  let after = from;
  let wrapped = from === null;
  while (window.length < most && idle < slots) {
    let owner = lanes.nextOwner(type, after);
    if (owner === null && !wrapped) {
      wrapped = true;
      owner = lanes.nextOwner(type, null);
    }
    // Back at the first one seen: the circle is closed.
    if (owner === null || window[0]?.owner === owner) break;
    const executing = lanes.executingOfOwner(owner, type);
    const room = perOwner === null ? Number.POSITIVE_INFINITY : perOwner - lanes.executingOfOwner(owner, null);
    if (executing === 0 && room > 0) idle++;
    window.push({ owner, executing, room, taken: 0 });
    after = owner;
  }
  return window;
}
