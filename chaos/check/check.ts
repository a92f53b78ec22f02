import { checkAccounts } from './accounts.ts';
import { checkCaps } from './caps.ts';
import type { Evidence, Violation } from './evidence.ts';
import { checkExecutions } from './executions.ts';
import { checkHosts } from './hosts.ts';
import { checkLog } from './log.ts';
import { checkReaders } from './readers.ts';
import { checkSchedules } from './schedules.ts';

/** Every rule over everything that was recorded. */
export function check(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: string, found: string): void => {
    violations.push({ rule, evidence: found });
  };
  checkLog(evidence, report);
  checkCaps(evidence, report);
  checkExecutions(evidence, report);
  checkHosts(evidence, report);
  checkAccounts(evidence, report);
  checkReaders(evidence, report);
  checkSchedules(evidence, report);
  return violations;
}
