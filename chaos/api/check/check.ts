import type { Violation } from '../../check/evidence.ts';
import { checkEnds } from './ends.ts';
import type { Evidence } from './evidence.ts';
import { checkExecutions } from './executions.ts';
import { checkLog } from './log.ts';
import { checkReaders } from './readers.ts';
import { checkRequests } from './requests.ts';
import { checkSessions } from './sessions.ts';

/** Every rule over everything that was recorded. */
export function check(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: string, found: string): void => {
    violations.push({ rule, evidence: found });
  };
  checkRequests(evidence, report);
  checkLog(evidence, report);
  checkExecutions(evidence, report);
  checkSessions(evidence, report);
  checkReaders(evidence, report);
  checkEnds(evidence, report);
  return violations;
}
