import type { NodeRecord } from '../../contract/node.ts';
import { READY } from '../hint.ts';
import { type OtherHosts, type ReadyLanes, TURN_MS } from '../machine/claim-plan.ts';
import { isAlive } from './nodes.ts';
import { longestReadyFirst } from './ready-index.ts';
import type { LaneRecord } from './records.ts';
import type { Tables } from './tables.ts';

/**
 * A view of the tables for one claim by the node. `take` is called with each lane that is taken.
 */
export function readyLanes(
  tables: Tables,
  node: NodeRecord,
  now: number,
  take: (lane: LaneRecord) => void,
): ReadyLanes {
  const { ready, executing, cursors, turns } = tables;
  const own = [node.host];
  return {
    cursor: (type) => cursors.get(type) ?? null,
    setCursor: (type, owner) => {
      if (owner === null) cursors.delete(type);
      else cursors.set(type, owner);
    },
    otherHosts: (type) => {
      const free = new Map<string, number>();
      for (const other of tables.nodes.values()) {
        const { host } = other;
        const slots = other.capacity - executing.ofNode(other.id);
        if (host === node.host || slots <= 0 || !isAlive(other, now)) continue;
        if (!other.types.includes(type) || !ready.hasHost(type, host)) continue;
        const turn = turns.get(turnKey(type, host));
        if (turn === undefined || turn.since > now - TURN_MS) {
          free.set(host, (free.get(host) ?? 0) + slots);
        }
      }
      return free;
    },
    nextOwner: (type, after, others) =>
      ready.nextOwner(type, others.size === 0 ? own : [...own, ...others.keys()], after),
    share: (type, owner, count, here, others) => {
      let taken = 0;
      const left: string[] = [];
      while (taken + left.length < count) {
        const lane = taken < here ? ready.longestReady(type, node.host, owner) : undefined;
        const away = longestAway(tables, type, owner, others, left);
        if (away !== undefined && (lane === undefined || longestReadyFirst(away, lane) < 0)) {
          left.push(away.row.host as string);
        } else if (lane !== undefined) {
          take(lane);
          taken++;
        } else break;
      }
      return { taken, left };
    },
    leave: (type, host, cap) => {
      const key = turnKey(type, host);
      if (turns.has(key)) return;
      turns.set(key, { since: now, cap });
      // A slot was left for another host.
      tables.hints.noteTopic(READY);
    },
    turn: (type) => turns.get(turnKey(type, node.host)) ?? null,
    endTurn: (type) => void turns.delete(turnKey(type, node.host)),
    hasOwn: (type) => ready.hasHost(type, node.host),
    executingOfType: (type) => executing.ofType(type),
    executingOfOwner: (owner, type) => executing.ofOwner(owner, type),
  };
}

/** Names contain no control characters. */
const turnKey = (type: string, host: string): string => `${type}\n${host}`;

/**
 * The owner's longest-waiting lane on another host with free slots. Lanes for which a slot was left
 * are still in the index, so a host's longest-waiting lane also stands for the lanes after it.
 */
function longestAway(
  { ready }: Tables,
  type: string,
  owner: string,
  others: OtherHosts,
  left: readonly string[],
): LaneRecord | undefined {
  let longest: LaneRecord | undefined;
  for (const [host, free] of others) {
    const queue = ready.ofHost(type, host, owner);
    const before = left.filter((one) => one === host).length;
    if (queue === undefined || before >= Math.min(free, queue.size)) continue;
    const lane = queue.peek() as LaneRecord;
    if (longest === undefined || longestReadyFirst(lane, longest) < 0) longest = lane;
  }
  return longest;
}
