import { type Report, show } from '../../check/evidence.ts';
import type { ClusterEvidence } from './evidence.ts';

/** After the faults have ended the tables list exactly the live nodes and connections. */
export function checkCalm(evidence: ClusterEvidence, report: Report): void {
  const { liveNodes, livePids, connectionRows, openStreams, taken } = evidence;
  const named = liveNodes.map(({ pid }) => pid).sort();
  if (show(named) !== show([...livePids].sort()))
    report('nodes', `the table has ${show(named)}, alive are ${show(livePids)}`);
  if (connectionRows !== openStreams)
    report('connections', `${connectionRows} rows, and ${openStreams} open streams`);
  // If one node gets no requests, the other rules prove nothing about several nodes.
  if (taken.some((count) => count === 0)) report('proxy', `requests by node: ${show(taken)}`);
}
