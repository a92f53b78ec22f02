import { type Report, show } from '../../check/evidence.ts';
import type { ClusterEvidence } from './evidence.ts';

/** When nothing is broken any more the tables name what lives, and nothing else. */
export function checkCalm(evidence: ClusterEvidence, report: Report): void {
  const { liveNodes, livePids, connectionRows, openStreams, taken } = evidence;
  const named = liveNodes.map(({ pid }) => pid).sort();
  if (show(named) !== show([...livePids].sort()))
    report('nodes', `the table names ${show(named)}, there are ${show(livePids)}`);
  if (connectionRows !== openStreams)
    report('connections', `${connectionRows} rows, and ${openStreams} open streams`);
  // Without this nothing else would say anything about several nodes.
  if (taken.some((count) => count === 0)) report('proxy', `requests by node: ${show(taken)}`);
}
