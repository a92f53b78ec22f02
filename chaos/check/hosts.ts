import { type Evidence, groupBy, type Report, show } from './evidence.ts';

/** A lane with a host is claimed only there; a pinned lane has the host of its first claim. */
export function checkHosts(evidence: Evidence, report: Report): void {
  const { lanes, events, records, processes } = evidence;
  const hosts = new Map(processes.map(({ pid, host }) => [pid, host]));
  const hostOf = new Map<string, string | undefined>();
  for (const { node, pid } of records) if (node !== null) hostOf.set(node, hosts.get(pid));
  const claims = events.filter(({ type }) => type === 'run.dequeued');
  const byLane = groupBy(claims, ({ lane }) => lane);
  for (const { id, host, pin } of lanes) {
    const ofLane = byLane.get(id) ?? [];
    if (pin && host === null && ofLane.length > 0) {
      report('host', `lane ${id} was claimed but has no host: ${show(ofLane[0])}`);
    }
    if (host === null) continue;
    for (const event of ofLane) {
      // A node is unknown if its process was killed before it wrote anything.
      const claimedOn = hostOf.get(String(event.payload['node']));
      if (claimedOn !== undefined && claimedOn !== host) {
        report(
          'host',
          `lane ${id} belongs to host ${host} but was claimed on ${claimedOn}: ${show(event)}`,
        );
      }
    }
  }
}
