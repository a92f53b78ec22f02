import type { LogEvent } from '../../contract/event.ts';
import type { Run } from '../../contract/run.ts';
import type { LogCursor, RunFilter } from '../store.ts';
import { isAlive } from './nodes.ts';
import { copyEvent, type RunRecord, toRun } from './records.ts';
import type { Tables } from './tables.ts';

export function list(tables: Tables, filter: RunFilter): Run[] {
  const runs: Run[] = [];
  for (const id of idsOf(tables, filter)) {
    if (runs.length >= filter.limit) break;
    const record = tables.runs.get(id) as RunRecord;
    if (filter.states !== undefined && !filter.states.includes(record.core.state)) continue;
    runs.push(toRun(record));
  }
  return runs;
}

function idsOf(tables: Tables, { lane, after, newestFirst }: RunFilter): Iterable<string> {
  if (lane === undefined)
    return newestFirst ? tables.runIds.before(after ?? null) : tables.runIds.after(after ?? null);
  const ids = (tables.lanes.get(lane)?.runs ?? []).map((run) => run.core.id).sort();
  if (newestFirst) ids.reverse();
  if (after === undefined) return ids;
  return ids.filter((id) => (newestFirst ? id < after : id > after));
}

export function listQueued(tables: Tables, laneId: string, limit: number, after?: string): Run[] {
  const queue = tables.lanes.get(laneId)?.queue;
  const length = queue?.length ?? 0;
  const at = (i: number): RunRecord => queue?.at(i) as RunRecord;
  let first = 0;
  for (let i = 0; after !== undefined && i < length; i++)
    if (at(i).core.id === after) first = i + 1;
  const runs: Run[] = [];
  for (let i = first; i < Math.min(first + limit, length); i++) runs.push(toRun(at(i)));
  return runs;
}

export function unhandledTypes(tables: Tables): string[] {
  const now = tables.clock();
  const handled = new Set<string>();
  for (const node of tables.nodes.values()) {
    if (isAlive(node, now)) for (const type of node.types) handled.add(type);
  }
  return [...tables.ready.types()].filter((type) => !handled.has(type)).sort();
}

export function strandedHosts(tables: Tables): string[] {
  const now = tables.clock();
  const live = new Set<string>();
  for (const node of tables.nodes.values()) {
    if (isAlive(node, now) && node.roles.includes('worker')) live.add(node.host);
  }
  return [...tables.ready.hosts()].filter((host) => !live.has(host)).sort();
}

export function listAfter(
  tables: Tables,
  laneId: string,
  after: number,
  limit: number,
  runId: string | undefined,
): LogEvent[] {
  const lane = tables.lanes.get(laneId);
  if (lane === undefined) return [];
  // A run's events lie between its first and last seq, so a long log is not read from its start.
  const run = runId === undefined ? undefined : tables.runs.get(runId);
  const from = Math.max(after, (run?.firstSeq ?? 0) - 1);
  const last = run?.core.lastSeq ?? Number.POSITIVE_INFINITY;
  const events: LogEvent[] = [];
  for (let i = indexAfter(lane.log, from); i < lane.log.length && events.length < limit; i++) {
    const event = lane.log[i] as LogEvent;
    if (event.seq > last) break;
    if (runId !== undefined && event.runId !== runId) continue;
    events.push(copyEvent(event));
  }
  return events;
}

export const listAfterEach = (tables: Tables, cursors: readonly LogCursor[]): LogEvent[] =>
  cursors.flatMap(({ lane, after, limit }) => listAfter(tables, lane, after, limit, undefined));

export function lastSeqs(tables: Tables, lanes: readonly string[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const id of lanes) {
    const lane = tables.lanes.get(id);
    if (lane !== undefined) last.set(id, lane.row.nextSeq - 1);
  }
  return last;
}

/** Binary search: seqs increase, but a purge leaves gaps. */
function indexAfter(log: readonly LogEvent[], seq: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((log[middle] as LogEvent).seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
