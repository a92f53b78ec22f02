import { groupBy, type Report, show } from '../../check/evidence.ts';
import { parseCommand } from '../command.ts';
import type { EventRow, Evidence } from './evidence.ts';

/** Each session's log is complete, each run ends once and last, and runs begin in order. */
export function checkLog(evidence: Evidence, report: Report): void {
  const lanes = groupBy(evidence.events, ({ lane }) => lane);
  for (const { id, nextSeq } of evidence.sessions) {
    const events = lanes.get(id) ?? [];
    const wrong = events.findIndex(({ seq }, i) => seq !== i + 1);
    if (wrong !== -1) report('gap', `${id}: ${show(events[wrong])} is at position ${wrong + 1}`);
    if (nextSeq !== events.length + 1)
      report('gap', `${id} has ${events.length} events, but its next seq is ${nextSeq}`);
  }
  checkDones(evidence, lanes, report);
  checkOrder(evidence, report);
  checkOutputs(evidence, report);
}

function checkDones(
  { runs, events, removed }: Evidence,
  lanes: ReadonlyMap<string, readonly EventRow[]>,
  report: Report,
): void {
  const rows = new Map(runs.map((run) => [run.id, run]));
  const gone = new Set(removed);
  const byRun = groupBy(
    events.filter(({ runId }) => runId !== null),
    ({ runId }) => runId as string,
  );
  for (const run of runs) if (!byRun.has(run.id)) report('log', `no event of ${show(run)}`);
  for (const [id, own] of byRun) {
    const row = rows.get(id);
    if (row === undefined && !gone.has(id)) report('lost', `run ${id} has a log but no row`);
    const dones = own.filter(({ type }) => type === 'done');
    const [done] = dones;
    if (done === undefined || dones.length > 1) {
      report('done', `run ${id} has ${dones.length} of them`);
      continue;
    }
    if (own.at(-1) !== done) report('after-done', show(own.at(-1)));
    const before = lanes.get(done.lane)?.[done.seq - 2];
    if (before?.type !== 'run.finished' || before.runId !== id)
      report('done', `not right after its run.finished: ${show(done)}`);
    if (row === undefined) continue;
    if (row.lastSeq !== done.seq || done.payload['state'] !== row.state)
      report('done', `${show(done)} and the row ${show(row)}`);
  }
}

/** Runs begin in the order of their positions; runs that were not moved begin in the order of admission. */
function checkOrder({ events, runs, requests, removed }: Evidence, report: Report): void {
  const rows = new Map(runs.map((run) => [run.id, run]));
  const gone = new Set(removed);
  const odd = requests.filter((one) => one.outOfTurn);
  // Identified in three ways: the answer may be lost, the key may be missing, or the run may be edited.
  const outOfTurn = new Set(odd.flatMap(({ n, key, acknowledged }) => [n, key, ...acknowledged]));
  const moved = new Set(
    events.filter(({ payload }) => payload['change'] === 'moved').map(({ runId }) => runId),
  );
  const delayed = new Set(
    events.filter(({ payload }) => payload['change'] === 'due').map(({ runId }) => runId),
  );
  const begun = new Set<string>();
  const last = new Map<string, { position: number; firstSeq: number; id: string }>();
  for (const { lane, runId, type } of events) {
    if (type !== 'run.dequeued' || runId === null || begun.has(runId)) continue;
    begun.add(runId);
    const row = rows.get(runId);
    if (row === undefined) {
      if (!gone.has(runId)) report('lost', `run ${runId} began and has no row`);
      else report('removed', `run ${runId} began although it was removed`);
      continue;
    }
    const before = last.get(lane) ?? { position: 0, firstSeq: 0, id: '' };
    if (row.position === null || row.position <= before.position)
      report('order', `began after position ${before.position}: ${show(row)}`);
    const inTurn =
      row.retryOf === null &&
      !moved.has(runId) &&
      !delayed.has(runId) &&
      ![runId, parseCommand(row.message)?.n ?? -1, row.idemKey ?? ''].some((one) =>
        outOfTurn.has(one),
      );
    if (inTurn && row.firstSeq < before.firstSeq)
      report('order', `began after ${before.id} admitted at ${before.firstSeq}: ${show(row)}`);
    last.set(lane, {
      ...(inTurn ? { firstSeq: row.firstSeq, id: runId } : before),
      position: row.position ?? 0,
    });
  }
}

/** The output of a command is in the log of its last execution, once and complete. */
function checkOutputs({ runs, events }: Evidence, report: Report): void {
  const byRun = groupBy(events, ({ runId }) => runId ?? '');
  for (const run of runs) {
    if (run.state !== 'succeeded') continue;
    const expected = parseCommand(run.message)?.output;
    const own = byRun.get(run.id) ?? [];
    const said = own.slice(own.findLastIndex(({ type }) => type === 'run.start'));
    const texts = (type: string): string[] =>
      said.filter((event) => event.type === type).map(({ payload }) => String(payload['text']));
    if (run.output !== expected || texts('agent.delta').join('') !== expected)
      report('output', `${show(texts('agent.delta'))} of ${show(run)}`);
    if (texts('agent.message').length !== 1 || texts('agent.message')[0] !== expected)
      report('output', `messages ${show(texts('agent.message'))} of ${show(run)}`);
  }
}
