import { groupBy, type Report, show, TERMINAL } from '../../check/evidence.ts';
import { parseCommand } from '../command.ts';
import type { Evidence } from './evidence.ts';

/** Each acknowledged message has exactly one run, which has ended; there are no other runs. */
export function checkRequests(evidence: Evidence, report: Report): void {
  const { runs, requests, removed, sessions, acknowledgedSessions } = evidence;
  const rows = new Map(runs.map((run) => [run.id, run]));
  const gone = new Set(removed);
  for (const request of requests) {
    for (const id of request.acknowledged) {
      const row = rows.get(id);
      if (row === undefined && !gone.has(id)) report('lost', `run ${id} of ${show(request)}`);
      if (row !== undefined && row.lane !== request.session)
        report('lost', `in another session: ${show(row)}`);
    }
    // Removing a run frees its key, so a late repetition creates another run.
    const kept = request.acknowledged.filter((id) => !gone.has(id));
    if (kept.length > 1) report('twice', show(request));
  }
  const known = new Set(sessions.map(({ id }) => id));
  for (const id of acknowledgedSessions) {
    if (!known.has(id)) report('lost', `session ${id}`);
  }
  checkRows(evidence, report);
}

function checkRows({ runs, requests }: Evidence, report: Report): void {
  const keys = new Set(requests.flatMap(({ key }) => key ?? []));
  const unkeyed = new Set(requests.filter(({ key }) => key === null).map(({ n }) => n));
  const firsts = runs.filter(({ retryOf }) => retryOf === null);
  for (const run of runs) if (!TERMINAL.has(run.state)) report('unended', show(run));
  for (const run of firsts) {
    const n = parseCommand(run.message)?.n ?? -1;
    const isKnown = run.idemKey === null ? unkeyed.has(n) : keys.has(run.idemKey);
    if (!isKnown) report('unknown', show(run));
  }
  const nameOf = (run: (typeof firsts)[number]): string =>
    `${run.lane} ${run.idemKey ?? parseCommand(run.message)?.n}`;
  for (const [name, same] of groupBy(firsts, nameOf)) {
    if (same.length > 1) report('twice', `${name} has ${show(same)}`);
  }
}
