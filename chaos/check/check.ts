import { checkAccounts } from './accounts.ts';
import { checkCaps } from './caps.ts';
import type { Evidence, Violation } from './evidence.ts';
import { checkExecutions } from './executions.ts';
import { checkHosts } from './hosts.ts';
import { checkLog } from './log.ts';
import { checkReaders } from './readers.ts';
import { checkSchedules } from './schedules.ts';

/** Applies every rule to the recorded evidence. */
export function check(evidence: Evidence): Violation[] {
  const violations: Violation[] = [];
  const report = (rule: string, details: string): void => {
    violations.push({ rule, evidence: details });
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
