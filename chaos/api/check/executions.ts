import { groupBy, type Report, show } from '../../check/evidence.ts';
import type { Evidence } from './evidence.ts';

interface Step {
  readonly what: string;
  /** Identifies one execution. */
  readonly mark: string;
  readonly run: string;
}

/** Checks when the commands were executed, from the lines they wrote themselves. */
export function checkExecutions(evidence: Evidence, report: Report): void {
  const claims = groupBy(
    evidence.events.filter(({ type }) => type === 'run.dequeued'),
    ({ runId }) => runId ?? '',
  );
  const begun = [...claims.keys()];
  for (const { session, lines } of evidence.traces) {
    const steps = lines.map((line) => stepOf(line));
    checkOverlaps(session, steps, report);
    checkClaims(evidence, session, steps, claims, report);
    const firsts = [...new Set(steps.map(({ run }) => run))];
    // The log is sorted by session and seq, so the claims are, too.
    const inLog = begun.filter((run) => firsts.includes(run));
    if (show(firsts) !== show(inLog.filter((run) => firsts.includes(run))))
      report('order', `session ${session} executed ${show(firsts)}, claimed ${show(inLog)}`);
  }
  checkSuccesses(evidence, report);
}

function stepOf(line: string): Step {
  const [what = '', mark = ''] = line.split(' ');
  return { what, mark, run: mark.split(':')[2] ?? '' };
}

/** No execution begins before the previous one, and everything it left behind, has ended. */
function checkOverlaps(session: string, steps: readonly Step[], report: Report): void {
  let now = '';
  const over = new Set<string>();
  for (const step of steps) {
    const { what, mark } = step;
    if (what === 'overlap') {
      report('overlap', `session ${session}: ${mark} started while ${now} held the lock`);
      continue;
    }
    if (over.has(mark)) report('overlap', `session ${session}: ${show(step)} while ${now} ran`);
    if (mark !== now) over.add(now);
    now = mark;
  }
}

function checkClaims(
  { installation }: Evidence,
  session: string,
  steps: readonly Step[],
  claims: ReadonlyMap<string, readonly { lane: string }[]>,
  report: Report,
): void {
  const starts = steps.filter(({ what }) => what === 'start');
  for (const [mark, same] of groupBy(starts, (step) => step.mark)) {
    if (same.length > 1) report('executed', `${mark} began ${same.length} times`);
    if (!mark.startsWith(`${installation}:`)) report('executed', `a foreign mark: ${mark}`);
  }
  for (const [run, same] of groupBy(starts, (step) => step.run)) {
    const claimed = claims.get(run) ?? [];
    // A run that was cancelled while queued is never executed.
    if (same.length > claimed.length)
      report('executed', `run ${run}: ${same.length} executions for ${claimed.length} claims`);
    if (claimed.some(({ lane }) => lane !== session))
      report('executed', `run ${run} of another session in the workspace of ${session}`);
  }
}

function checkSuccesses({ runs, traces }: Evidence, report: Report): void {
  const ended = new Set(
    traces
      .flatMap(({ lines }) => lines.map(stepOf))
      .flatMap((step) => (step.what === 'end' ? [step.run] : [])),
  );
  for (const run of runs) {
    if (run.state === 'succeeded' && !ended.has(run.id))
      report('executed', `succeeded without an end: ${show(run)}`);
  }
}
