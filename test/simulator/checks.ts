import type { Lane } from '../../src/contract/lane.ts';
import type { Run, RunState } from '../../src/contract/run.ts';
import { must } from './broken.ts';
import type { View } from './checker.ts';
import type { LaneWatch } from './lane-watch.ts';
import type { Story } from './step.ts';
import { MARGIN_MS, type World } from './world.ts';

/** The possible states of a lane for each state of its begun run. */
const STATE_OF: Partial<{ [S in RunState]: readonly string[] }> = {
  queued: ['ready'],
  dequeued: ['running'],
  running: ['running'],
  waiting: ['asking'],
  retry_scheduled: ['delayed', 'ready'],
};

/** During a stop, runs may end or be handed back, but none starts or resumes. */
export function checkStopped(before: View, after: View): void {
  const known = new Set(executing(before.runs).map(({ id }) => id));
  const begun = executing(after.runs).filter(({ id }) => !known.has(id));
  must(begun.length === 0, 'nothing is claimed during a stop', () =>
    begun.map(({ id, lane }) => `${id} of ${lane}`).join(', '),
  );
}

/** A lane's row must agree with its log and its runs. */
export function checkLaneRow(lane: Lane, watch: LaneWatch, view: View): void {
  const seen = (): string => JSON.stringify(lane);
  must(lane.queued === watch.order.length, 'a lane knows its queue', seen);
  must(lane.runId === watch.begun, 'a lane knows its begun run', seen);
  must(lane.held === watch.held, 'a lane is held as its log says', seen);
  must((lane.nodeId === null) === (lane.fence === 0), 'a holder has a fence', seen);
  const { nodeId } = lane;
  must(nodeId === null || view.nodes.has(nodeId), 'a holder is a known node', seen);
  if (lane.runId === null) {
    const state = lane.queued > 0 ? 'ready' : 'idle';
    must(lane.state === state && nodeId === null, 'a lane with work is ready', seen);
    return;
  }
  const run = view.runs.find(({ id }) => id === lane.runId);
  must(run !== undefined, 'no run is lost', seen);
  const states = STATE_OF[run.state];
  must(
    states?.includes(lane.state) === true,
    'a lane is in the state of its run',
    () => `${seen()} with a ${run.state} run`,
  );
  const executes = lane.state === 'running';
  must(!executes || nodeId !== null, 'an executing run has a holder', seen);
}

export const executing = (runs: readonly Run[]): Run[] =>
  runs.filter(({ state }) => state === 'dequeued' || state === 'running');

/** Executing runs never exceed the cap of a type, an owner or a node. */
export function checkCaps({ runs, lanes }: View, { caps, workers }: Story): void {
  const now = executing(runs);
  for (const [type, cap] of Object.entries(caps.types)) {
    const count = now.filter((run) => run.type === type).length;
    must(count <= cap, 'executing ≤ caps', () => `${count} of type ${type}, the cap is ${cap}`);
  }
  const { perOwner } = caps;
  const owners = new Map<string, number>();
  for (const { owner } of now) owners.set(owner, (owners.get(owner) ?? 0) + 1);
  for (const [owner, count] of owners) {
    must(perOwner === null || count <= perOwner, 'executing ≤ caps', () => `${count} of ${owner}`);
  }
  const most = Math.max(...workers.map(({ capacity }) => capacity));
  const nodes = new Map<string, number>();
  for (const { nodeId, state } of lanes.values()) {
    if (nodeId === null || state !== 'running') continue;
    nodes.set(nodeId, (nodes.get(nodeId) ?? 0) + 1);
  }
  for (const [node, count] of nodes) {
    must(count <= most, 'executing ≤ caps', () => `${count} on ${node}`);
  }
}

/**
 * No two handlers of one lane run while both their workers trust their leases. If the store's clock
 * ran ahead by more than the untrusted share of a lease, that trust is unfounded; the fence still
 * keeps the loser from writing.
 */
export function checkOverlap(world: World): void {
  const lanes = new Map<string, number>();
  for (const worker of world.workers) {
    const own = new Set<string>();
    for (const { attempt, member, state } of worker.executions) {
      if (state !== 'running') continue;
      const { lane } = attempt.run;
      must(!own.has(lane), 'no two executions of a lane overlap', () => `${lane} in one process`);
      own.add(lane);
      if (attempt.lost || !worker.trusts(member)) continue;
      if (world.driftSince(member.jumps) > MARGIN_MS) continue;
      const other = lanes.get(lane);
      must(
        other === undefined,
        'no two executions of a lane overlap',
        () => `${lane} in processes ${other} and ${worker.pid}`,
      );
      lanes.set(lane, worker.pid);
    }
  }
}
