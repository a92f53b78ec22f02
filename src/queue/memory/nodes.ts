import type { NodeInfo, NodeRecord } from '../../contract/node.ts';
import * as machine from '../machine/lane-machine.ts';
import type { HeldLane, Poll, TakenOverRun } from '../store.ts';
import type { RunRecord } from './records.ts';
import { coreIn, type Tables } from './tables.ts';

export const isAlive = (node: NodeRecord, now: number): boolean => node.leaseUntil > now;

export const copyNode = (node: NodeRecord): NodeRecord => ({
  ...node,
  roles: [...node.roles],
  types: [...node.types],
  url: node.url ?? null,
});

export function join(tables: Tables, info: NodeInfo, leaseMs: number): void {
  const now = tables.clock();
  tables.nodes.set(info.id, copyNode({ ...info, leaseUntil: now + leaseMs, startedAt: now }));
}

export function renew(tables: Tables, nodeId: string, leaseMs: number): boolean {
  const now = tables.clock();
  const node = tables.nodes.get(nodeId);
  if (node === undefined || !isAlive(node, now)) return false;
  node.leaseUntil = now + leaseMs;
  return true;
}

export function poll(tables: Tables, nodeId: string): Poll {
  const now = tables.clock();
  const host = tables.nodes.get(nodeId)?.host;
  const holds: HeldLane[] = [];
  for (const { row } of tables.holds.get(nodeId) ?? []) {
    const state = row.state === 'asking' ? 'asking' : 'running';
    holds.push({ lane: row.id, fence: row.fence, state, cancel: row.cancel });
  }
  const nodes = [];
  for (const node of tables.nodes.values()) {
    const expired = !isAlive(node, now);
    if (node.id !== nodeId && (expired || node.host === host)) {
      nodes.push({ ...copyNode(node), expired });
    }
  }
  const next = Math.min(
    tables.due.peek()?.core.runAt ?? Number.POSITIVE_INFINITY,
    tables.delayed.peek()?.row.readyAt ?? Number.POSITIVE_INFINITY,
  );
  const nextDueMs = Number.isFinite(next) ? Math.max(0, next - now) : null;
  return { holds, nodes, nextDueMs, stopped: tables.stop !== null };
}

/** Takes over the runs of the nodes in `provenDead` and of all nodes whose lease has expired. */
export function takeOver(tables: Tables, provenDead: readonly string[]): TakenOverRun[] {
  const now = tables.clock();
  const dead = new Set(provenDead);
  for (const node of tables.nodes.values()) if (!isAlive(node, now)) dead.add(node.id);
  return [...dead].flatMap((nodeId) => bury(tables, nodeId, now));
}

/** Ends each of the node's attempts as crashed, then removes the node. */
export function bury(tables: Tables, nodeId: string, now: number): TakenOverRun[] {
  const takenOver: TakenOverRun[] = [];
  for (const lane of [...(tables.holds.get(nodeId) ?? [])]) {
    const change = tables.change(lane, now);
    const run = coreIn(change, lane.begun as RunRecord);
    machine.crash(change, run);
    tables.commit(lane, change, lane.begun);
    const { id, state, crashes } = run;
    takenOver.push({ run: id, lane: lane.row.id, node: nodeId, state, crashes });
  }
  tables.nodes.delete(nodeId);
  return takenOver;
}
