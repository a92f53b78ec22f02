import type { Decision, ToolRules } from '../../src/contract/policy.ts';
import { DECISIONS } from './rules.ts';

/* Rules are stored as a whole: who edits an old version must not undo what others did since. */

export interface RuleChange {
  readonly decision: Decision;
  readonly rule: string;
}
export interface RuleChanges {
  readonly added: readonly RuleChange[];
  readonly removed: readonly RuleChange[];
}

const without = (rules: ToolRules, others: ToolRules): RuleChange[] =>
  DECISIONS.flatMap((decision) =>
    rules[decision]
      .filter((rule) => !others[decision].includes(rule))
      .map((rule) => ({ decision, rule })),
  );

/** What became of the rules; null if they are the same, in whatever order. */
export function changesOf(before: ToolRules, now: ToolRules): RuleChanges | null {
  const changes = { added: without(now, before), removed: without(before, now) };
  return changes.added.length + changes.removed.length === 0 ? null : changes;
}

/** A person's own version with what others did. */
export function withChanges(own: ToolRules, { added, removed }: RuleChanges): ToolRules {
  const has = (all: readonly RuleChange[], decision: Decision, rule: string): boolean =>
    all.some((each) => each.decision === decision && each.rule === rule);
  const merged = (decision: Decision): string[] => [
    ...own[decision].filter((rule) => !has(removed, decision, rule)),
    ...added
      .filter((each) => each.decision === decision && !own[decision].includes(each.rule))
      .map(({ rule }) => rule),
  ];
  return { allow: merged('allow'), ask: merged('ask'), deny: merged('deny') };
}
