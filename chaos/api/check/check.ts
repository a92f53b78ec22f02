import type { Violation } from '../../check/evidence.ts';
import { checkEnds } from './ends.ts';
import type { Evidence } from './evidence.ts';
import { checkExecutions } from './executions.ts';
import { checkLog } from './log.ts';
import { checkReaders } from './readers.ts';
import { checkRequests } from './requests.ts';
import { checkSessions } from './sessions.ts';

/** Applies every rule to the recorded evidence. */
export function check(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: string, details: string): void => {
    violations.push({ rule, evidence: details });
  };
  checkRequests(evidence, report);
  checkLog(evidence, report);
  checkExecutions(evidence, report);
  checkSessions(evidence, report);
  checkReaders(evidence, report);
  checkEnds(evidence, report);
  return violations;
}
