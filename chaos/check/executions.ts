import { type Entry, type Evidence, groupBy, type Report, show } from './evidence.ts';

interface Span {
  readonly start: Entry;
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/**
 * Executions of a lane never overlap, neither across processes nor within one, according to the
 * lines that the handlers themselves wrote.
 *
 * An execution counts from its first line to its last, but no longer than its process relied on the
 * lease under which it was claimed, and not beyond the kill of its process. A process that is
 * stopped cannot know that its lease has ended: when it continues, its handler runs until it gets
 * the abort signal, beside the node that took over. No queue can prevent that. It can keep such an
 * execution from writing (rule `fence`) and never begin one without a lease (rule `no-lease`).
 * A process relies on its lease for a little less than the database keeps it. If the process was not
 * scheduled between its check of the lease and the call of the handler, the call may fall into that
 * margin: it is still covered, and counts as an execution of zero length.
 */
export function checkExecutions(evidence: Evidence, report: Report): void {
  const spans = spansOf(evidence, report);
  for (const [lane, ofLane] of groupBy(spans, ({ start }) => start.lane ?? '')) {
    const sorted = ofLane.toSorted((a, b) => a.from - b.from);
    let last: Span | undefined;
    for (const span of sorted) {
      if (last !== undefined && span.from < last.to) {
        const ms = (last.to - span.from).toFixed(3);
        report(
          'overlap',
          `lane ${lane}, by ${ms} ms (${last.why}): ${show(last.start)} and ${show(span.start)}`,
        );
      }
      if (last === undefined || span.to > last.to) last = span;
    }
  }
  checkClaims(evidence, report);
}

function spansOf({ records, processes, leaseMarginMs }: Evidence, report: Report): Span[] {
  const trusted = new Map<string, number>();
  for (const { node, until } of records) {
    if (node !== null && until !== null) {
      trusted.set(node, Math.max(until, trusted.get(node) ?? 0));
    }
  }
  const ends = new Map<string, Entry>();
  for (const entry of records) if (entry.what === 'end') ends.set(keyOf(entry), entry);
  const killedAt = new Map(processes.map(({ pid, killedAt }) => [pid, killedAt]));
  const spans: Span[] = [];
  for (const start of records) {
    if (start.what !== 'start') continue;
    const lease = trusted.get(start.node ?? '') ?? 0;
    if (start.at > lease + leaseMarginMs) {
      const late = lease === 0 ? 'never had' : `ended ${(start.at - lease).toFixed(1)} ms before`;
      report('no-lease', `a handler was called under a lease that ${late}: ${show(start)}`);
      continue;
    }
    const end = ends.get(keyOf(start))?.at;
    const killed = killedAt.get(start.pid) ?? Number.POSITIVE_INFINITY;
    const last = Math.min(end ?? Number.POSITIVE_INFINITY, killed, lease);
    const to = Math.max(start.at, last);
    if (end === undefined && !Number.isFinite(killed)) {
      report('unfinished', `a handler never returned: ${show(start)}`);
    }
    spans.push({
      start,
      from: start.at,
      to,
      why: to === end ? 'ended' : to === killed ? 'killed' : 'lease ended',
    });
  }
  return spans;
}

const keyOf = ({ pid, execution }: Entry): string => `${pid} ${execution}`;

/** A handler is called at most once for each claim, and never for a run that was not claimed. */
function checkClaims({ records, events, runs }: Evidence, report: Report): void {
  const claims = new Map<string, number>();
  for (const { type, runId, payload, attempt } of events) {
    if (type !== 'run.dequeued') continue;
    const key = `${runId} ${payload['node']} ${attempt}`;
    claims.set(key, (claims.get(key) ?? 0) + 1);
  }
  const started = new Set<string>();
  for (const entry of records) {
    if (entry.what !== 'start') continue;
    started.add(entry.run ?? '');
    const key = `${entry.run} ${entry.node} ${entry.attempt}`;
    const left = (claims.get(key) ?? 0) - 1;
    claims.set(key, left);
    if (entry.node !== null && left < 0) report('unclaimed', `no claim for ${show(entry)}`);
  }
  for (const run of runs) {
    if (run.state === 'succeeded' && !started.has(run.id)) {
      report('not-executed', `succeeded without an execution: ${show(run)}`);
    }
  }
}
