import { type Evidence, groupBy, type Report, show, TERMINAL } from './evidence.ts';

/** Nothing acknowledged is lost, nothing exists twice, and every run that can end has ended. */
export function checkAccounts(evidence: Evidence, report: Report): void {
  checkRequests(evidence, report);
  checkBatches(evidence, report);
  checkEnds(evidence, report);
  checkCounts(evidence, report);
  checkProcesses(evidence, report);
  for (const error of evidence.errors) report('error', error);
}

function checkRequests({ requests, runs, removed, retried }: Evidence, report: Report): void {
  const gone = new Set(removed);
  const rows = new Map(runs.map((run) => [run.id, run]));
  const first = runs.filter((run) => run.retryOf === null && run.request !== null);
  const byRequest = groupBy(first, (run) => String(run.request));
  for (const request of requests) {
    const made = byRequest.get(String(request.n)) ?? [];
    byRequest.delete(String(request.n));
    if (made.length > 1) report('twice', `request ${request.n} made ${show(made)}`);
    const ids = new Set(request.acknowledged);
    if (ids.size > 1) report('idempotency', `one key, several runs: ${show(request)}`);
    for (const id of ids) {
      const row = rows.get(id);
      if (row === undefined && !gone.has(id)) report('lost', `acknowledged: ${show(request)}`);
      else if (row !== undefined && row.idemKey !== request.key) {
        report('idempotency', `the row has another key: ${show(request)} ${show(row)}`);
      }
    }
  }
  for (const [n, made] of byRequest) report('unknown', `no request ${n}: ${show(made)}`);
  for (const id of retried) {
    if (!rows.has(id) && !gone.has(id)) report('lost', `an acknowledged retry: ${id}`);
  }
  const keyed = runs.filter((run) => run.idemKey !== null);
  for (const [key, same] of groupBy(keyed, (run) => `${run.lane} ${run.idemKey}`)) {
    if (same.length > 1) report('idempotency', `key ${key} has ${show(same)}`);
  }
}

/** The runs enqueued by one call exist all or not at all. */
function checkBatches({ requests, runs }: Evidence, report: Report): void {
  const stored = new Set(runs.map(({ request }) => request));
  const inBatches = requests.filter(({ batch }) => batch !== null);
  for (const batch of groupBy(inBatches, (request) => String(request.batch)).values()) {
    // An acknowledged run may have been removed since.
    const made = batch.filter(({ n, acknowledged }) => stored.has(n) || acknowledged.length > 0);
    if (made.length > 0 && made.length < batch.length) {
      report('batch', `${made.length} of ${batch.length} were made: ${show(batch)}`);
    }
  }
}

function checkEnds({ runs, lanes, events, removed, now }: Evidence, report: Report): void {
  const held = new Set(lanes.filter((lane) => lane.held).map(({ id }) => id));
  const logged = new Set(events.map(({ runId }) => runId));
  const rows = new Set(runs.map(({ id }) => id));
  const gone = new Set(removed);
  for (const run of runs) {
    if (!logged.has(run.id)) report('log', `no event of ${show(run)}`);
    if (TERMINAL.has(run.state)) continue;
    const later = run.position === null && run.runAt !== null && run.runAt > now;
    if (!later && !held.has(run.lane)) report('unended', `after the drain: ${show(run)}`);
  }
  for (const id of logged) {
    if (id !== null && !rows.has(id) && !gone.has(id))
      report('lost', `run ${id} has a log but no row`);
  }
}

function checkCounts({ runs, counts }: Evidence, report: Report): void {
  const real: Record<string, number> = {};
  for (const { state } of runs) real[state] = (real[state] ?? 0) + 1;
  for (const state of new Set([...Object.keys(real), ...Object.keys(counts)])) {
    if ((real[state] ?? 0) !== (counts[state] ?? 0)) {
      report('counts', `${state}: ${counts[state] ?? 0} counted, ${real[state] ?? 0} there`);
    }
  }
}

function checkProcesses(evidence: Evidence, report: Report): void {
  const live = new Set(evidence.liveNodes);
  for (const node of evidence.nodesBeforeStop) {
    if (!live.has(node)) report('dead-node', `${node} is not the node of a live process`);
  }
  for (const node of evidence.nodes)
    report('dead-node', `${node} is left after all workers have stopped`);
  for (const { pid, exit } of evidence.processes) {
    if (exit !== null && exit !== '0') report('exit', `process ${pid} ended with ${exit}`);
  }
}
