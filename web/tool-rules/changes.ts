import type { Decision, ScopeRules } from '../../src/contract/policy.ts';
import { DECISIONS } from './rules.ts';

/* Rules are stored as a whole, so saving an outdated version must not undo changes by others. */

/** The lists of rules, and which rules are enforced. */
export type RuleList = Decision | 'enforced';
const LISTS: readonly RuleList[] = [...DECISIONS, 'enforced'];

export interface RuleChange {
  readonly list: RuleList;
  readonly rule: string;
}
export interface RuleChanges {
  readonly added: readonly RuleChange[];
  readonly removed: readonly RuleChange[];
}

const without = (rules: ScopeRules, others: ScopeRules): RuleChange[] =>
  LISTS.flatMap((list) =>
    (rules[list] ?? [])
      .filter((rule) => !(others[list] ?? []).includes(rule))
      .map((rule) => ({ list, rule })),
  );

/** What changed, ignoring order; null if nothing did. */
export function changesOf(before: ScopeRules, now: ScopeRules): RuleChanges | null {
  const changes = { added: without(now, before), removed: without(before, now) };
  return changes.added.length + changes.removed.length === 0 ? null : changes;
}

/** The user's version combined with the changes by others. */
export function withChanges(own: ScopeRules, { added, removed }: RuleChanges): ScopeRules {
  const has = (all: readonly RuleChange[], list: RuleList, rule: string): boolean =>
    all.some((each) => each.list === list && each.rule === rule);
  const merged = (list: RuleList): string[] => {
    const mine = own[list] ?? [];
    return [
      ...mine.filter((rule) => !has(removed, list, rule)),
      ...added
        .filter((each) => each.list === list && !mine.includes(each.rule))
        .map(({ rule }) => rule),
    ];
  };
  return {
    allow: merged('allow'),
    ask: merged('ask'),
    deny: merged('deny'),
    ...(own.enforced === undefined ? {} : { enforced: merged('enforced') }),
  };
}
