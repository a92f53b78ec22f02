import type { LaneRecord, RunRecord } from './records.ts';
import type { Tables } from './tables.ts';

export interface PurgeRequest {
  readonly before: number;
  readonly limit: number;
}

/** Removes finished runs with their events, and lanes without runs. */
export function purge(tables: Tables, request: PurgeRequest): { runs: number; lanes: number } {
  const gone = new Map<LaneRecord, Set<string>>();
  let runs = 0;
  for (; runs < request.limit; runs++) {
    const record = tables.finished.peek();
    if (record === undefined || (record.core.finishedAt as number) >= request.before) break;
    tables.drop(record);
    const ids = gone.get(record.lane);
    if (ids === undefined) gone.set(record.lane, new Set([record.core.id]));
    else ids.add(record.core.id);
  }
  let lanes = 0;
  for (const [lane, ids] of gone) {
    lane.runs = lane.runs.filter((run: RunRecord) => !ids.has(run.core.id));
    if (dropIfEmpty(tables, lane)) lanes++;
    else lane.log = lane.log.filter((event) => event.runId === null || !ids.has(event.runId));
  }
  return { runs, lanes: lanes + dropEmptied(tables, request.before) };
}

/**
 * Removes lanes whose last run was removed earlier; these lanes cannot be found through a finished
 * run.
 */
function dropEmptied(tables: Tables, before: number): number {
  let lanes = 0;
  for (const lane of [...tables.empty]) {
    if (lane.emptySince !== null && lane.emptySince >= before) break;
    tables.empty.delete(lane);
    if (dropIfEmpty(tables, lane)) lanes++;
  }
  return lanes;
}

function dropIfEmpty(tables: Tables, lane: LaneRecord): boolean {
  if (lane.row.kept || lane.runs.length > 0) return false;
  if (lane.row.held) {
    // The lane stays held until someone resumes it; a later purge checks again.
    tables.empty.add(lane);
    return false;
  }
  tables.empty.delete(lane);
  return tables.lanes.delete(lane.row.id);
}
