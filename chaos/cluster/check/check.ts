import { check as checkServer } from '../../api/check/check.ts';
import type { Violation } from '../../check/evidence.ts';
import { checkAudit } from './audit.ts';
import { checkCalm } from './calm.ts';
import { checkCap } from './cap.ts';
import type { ClusterEvidence } from './evidence.ts';
import { checkHints, checkRunReaders } from './streams.ts';

/** Applies the rules for one server over its API, and those for a cluster. */
export function check(evidence: ClusterEvidence): Violation[] {
  const violations = checkServer(evidence);
  const report = (rule: string, details: string): void => {
    violations.push({ rule, evidence: details });
  };
  checkCap(evidence, report);
  checkRunReaders(evidence, report);
  checkHints(evidence, report);
  checkAudit(evidence, report);
  checkCalm(evidence, report);
  return violations;
}
