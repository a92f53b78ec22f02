import type { CitingTest } from './citations.ts';
import type { Requirement, Requirements } from './requirements/requirement.ts';
import type { Rule } from './rules.ts';

/** The tables in this folder. */
export interface Tables {
  readonly rules: Readonly<Record<string, Rule>>;
  readonly requirements: Requirements;
  readonly gaps: Readonly<Record<string, string>>;
}

export type TestsByNumber = ReadonlyMap<string, readonly CitingTest[]>;

export function byNumber(tests: readonly CitingTest[]): TestsByNumber {
  const cited = tests.flatMap((test) => test.cites.map((number) => ({ number, test })));
  const groups = Map.groupBy(cited, ({ number }) => number);
  return new Map([...groups].map(([number, group]) => [number, group.map(({ test }) => test)]));
}

/**
 * The numbers whose tests prove a requirement: its own, and the rules that decide it. Tests of a rule
 * say nothing about a requirement that is not built, because the rule may cover more.
 */
export function provenBy(number: string, requirement: Requirement, tests: TestsByNumber): string[] {
  const { status, rules } = requirement;
  const counts = status === 'built' || status === 'partly' ? [number, ...rules] : [number];
  return counts.filter((one) => tests.has(one));
}

/** One line for each problem, in terms of what to do about it. */
export function problemsOf(tests: readonly CitingTest[], tables: Tables): string[] {
  const { rules, requirements, gaps } = tables;
  const proofs = byNumber(tests);
  const exists = (number: string): boolean =>
    Object.hasOwn(rules, number) || Object.hasOwn(requirements, number);

  const unknown = [...proofs]
    .filter(([number]) => !exists(number))
    .flatMap(([number, citing]) =>
      citing.map(({ file, title }) => `${file}: no rule is called [${number}]: "${title}"`),
    );
  const unlisted = Object.entries(requirements).flatMap(([number, requirement]) =>
    requirement.rules
      .filter((rule) => !Object.hasOwn(rules, rule))
      .map((rule) => `${number} is decided by ${rule}, but no rule is called that`),
  );
  const superfluous = Object.keys(gaps)
    .filter((number) => !exists(number) || requirements[number]?.status === 'not planned')
    .map((number) => `${number} needs no proof: remove it from scripts/proofs/gaps.ts`);

  const proven = (number: string, isProven: boolean): string[] => {
    const isGap = Object.hasOwn(gaps, number);
    if (isProven && isGap) {
      return [`${number} now has a test: remove it from scripts/proofs/gaps.ts`];
    }
    if (isProven || isGap) return [];
    return [`${number} has no test: begin the title of one that proves it with "[${number}] "`];
  };
  const ofRules = Object.keys(rules).flatMap((number) => proven(number, proofs.has(number)));
  const ofRequirements = Object.entries(requirements).flatMap(([number, requirement]) => {
    const { status } = requirement;
    if (status === 'not planned') return [];
    if (status === 'not yet' && proofs.has(number)) {
      return [`${number} now has a test: change its status in scripts/proofs/requirements/`];
    }
    return proven(number, provenBy(number, requirement, proofs).length > 0);
  });
  return [...unknown, ...unlisted, ...superfluous, ...ofRules, ...ofRequirements];
}
