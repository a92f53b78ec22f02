import { type Evidence, groupBy, type Report, show } from './evidence.ts';
import { LaneReplay } from './replay.ts';

/** Each lane's log is complete, in order, and agrees with the rows. */
export function checkLog(evidence: Evidence, report: Report): void {
  const rows = new Map(evidence.runs.map((run) => [run.id, run]));
  const interrupts = new Set(evidence.requests.filter((one) => one.interrupt).map(({ n }) => n));
  for (const [lane, events] of groupBy(evidence.events, ({ lane }) => lane)) {
    const replay = new LaneReplay(rows, interrupts, report);
    for (const event of events) replay.step(event);
    replay.end(evidence, lane);
  }
  checkPositions(evidence, report);
  checkMarks(evidence, report);
}

/** The runs of a lane begin in the order of their positions. */
function checkPositions({ events, runs }: Evidence, report: Report): void {
  const rows = new Map(runs.map((run) => [run.id, run]));
  const begun = new Set<string>();
  const last = new Map<string, number>();
  for (const { lane, runId, type } of events) {
    if (type !== 'run.dequeued' || runId === null || begun.has(runId)) continue;
    begun.add(runId);
    const row = rows.get(runId);
    if (row === undefined) {
      report('lost', `run ${runId} of lane ${lane} began but has no row`);
      continue;
    }
    if (row.position === null || row.position <= (last.get(lane) ?? 0)) {
      report('order', `began after position ${last.get(lane)}: ${show(row)}`);
    }
    last.set(lane, row.position ?? 0);
  }
}

/** Handlers' events are in the log at most once, and exactly once if acknowledged. */
function checkMarks({ events, records }: Evidence, report: Report): void {
  const stored = new Set<string>();
  for (const event of events) {
    const mark = event.payload['mark'];
    if (typeof mark !== 'string') continue;
    if (stored.has(mark)) report('event-twice', show(event));
    stored.add(mark);
  }
  for (const record of records) {
    if (record.what === 'stored' && !stored.has(record.mark ?? '')) {
      report('event-lost', `acknowledged but not in the log: ${show(record)}`);
    }
  }
}
