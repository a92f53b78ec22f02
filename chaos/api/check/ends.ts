import type { Report } from '../../check/evidence.ts';
import type { Evidence } from './evidence.ts';

/** No process and no row of one is left; servers that were asked to stop exited cleanly. */
export function checkEnds(evidence: Evidence, report: Report): void {
  for (const one of evidence.leftovers) report('leftover', one);
  for (const one of evidence.miscounted) report('connections', one);
  for (const id of evidence.connections) report('connections', `row ${id} is left`);
  for (const id of evidence.nodes) report('dead-node', `${id} is left`);
  for (const one of evidence.errors) report('error', one);
  for (const { pid, asked, exit, lastOutput } of evidence.servers) {
    const how = `server ${pid}, asked ${asked.join(', ') || 'nothing'}, ended with ${exit}`;
    if (exit === null || asked.length === 0) report('exit', `${how}: ${lastOutput}`);
    // After a second signal or a kill the exit code need not be 0.
    else if (asked.join() === 'term' && exit !== '0') report('exit', `${how}: ${lastOutput}`);
  }
}
