import { check as checkServer } from '../../api/check/check.ts';
import type { Violation } from '../../check/evidence.ts';
import { checkAudit } from './audit.ts';
import { checkCalm } from './calm.ts';
import { checkCap } from './cap.ts';
import type { ClusterEvidence } from './evidence.ts';
import { checkHints, checkRunReaders } from './streams.ts';

/** The rules of one server over its API, and those of several. */
export function check(evidence: ClusterEvidence): Violation[] {
  const violations = checkServer(evidence);
  const report = (rule: string, found: string): void => {
    violations.push({ rule, evidence: found });
  };
  checkCap(evidence, report);
  checkRunReaders(evidence, report);
  checkHints(evidence, report);
  checkAudit(evidence, report);
  checkCalm(evidence, report);
  return violations;
}
