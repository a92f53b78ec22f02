import { groupBy, type Report } from '../../check/evidence.ts';
import type { ClusterEvidence } from './evidence.ts';

/** Every acknowledged change has one audit line, and no change has two. */
export function checkAudit(evidence: ClusterEvidence, report: Report): void {
  const { audit, changes, runs, sessions, events } = evidence;
  const lines = groupBy(audit, ({ action, target }) => `${action} ${target}`);
  for (const { action, target, least, most } of changes) {
    const count = lines.get(`${action} ${target}`)?.length ?? 0;
    if (count < least || count > most)
      report('audit', `${count} lines of ${action} ${target}, and not ${least} to ${most}`);
  }
  // Retried runs and reopened sessions are visible in the tables, so each has its line.
  const again = [
    ...runs.flatMap(({ retryOf }) => (retryOf === null ? [] : [`run.retry ${retryOf}`])),
    ...events
      .filter(({ type, payload }) => type === 'session.status' && payload['reason'] === 'reopened')
      .map(({ lane }) => `session.reopen ${lane}`),
  ];
  for (const [change, made] of groupBy(again, (one) => one)) {
    const count = lines.get(change)?.length ?? 0;
    if (count !== made.length)
      report('audit', `${count} lines of ${change}, made ${made.length} times`);
  }
  // The line of a message names its session. Messages whose answers were all lost have one, too.
  const sent = groupBy(
    runs.filter(({ retryOf }) => retryOf === null),
    ({ lane }) => lane,
  );
  for (const { id } of sessions) {
    const [count, made] = [lines.get(`message.send ${id}`)?.length ?? 0, sent.get(id)?.length ?? 0];
    if (count !== made) report('audit', `session ${id}: ${count} lines for ${made} messages`);
  }
}
