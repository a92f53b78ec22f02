import {
  type Decision,
  RULE_MAX,
  type ScopeRules,
  ToolRule,
  type ToolRules,
} from '../../src/contract/policy.ts';
import type { Json } from '../../src/contract/values/json.ts';

/** The decisions in order of priority within a scope. */
export const DECISIONS = ['deny', 'ask', 'allow'] as const satisfies readonly Decision[];

/** One rule per line. */
export const toText = (rules: readonly string[]): string => rules.join('\n');

export const toList = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The first invalid line; null if all are valid. */
export const badRule = (text: string): string | null =>
  toList(text)
    .find((rule) => !ToolRule.safeParse(rule).success)
    ?.slice(0, RULE_MAX) ?? null;

/** The rule that a server error names, such as `deny.1`. */
export function ruleAt(rules: ToolRules, field: string): { list: Decision; rule: string } | null {
  const [list, index] = field.split('.');
  const known = DECISIONS.find((each) => each === list);
  const rule = known === undefined ? undefined : rules[known][Number(index)];
  return known === undefined || rule === undefined ? null : { list: known, rule };
}

/**
 * Rules of a scope that can be enforced: Deny and Ask rules, strictest first, without duplicates.
 */
export const enforceable = ({ deny, ask }: ToolRules): string[] => [...new Set([...deny, ...ask])];

/** Keeps the enforced rules that still exist after an edit; a session has no enforced rules. */
export const withEnforced = (
  rules: ToolRules,
  enforced: readonly string[] | undefined,
): ScopeRules =>
  enforced === undefined
    ? rules
    : { ...rules, enforced: enforceable(rules).filter((rule) => enforced.includes(rule)) };

export const isEmpty = ({ allow, ask, deny }: ToolRules): boolean =>
  allow.length + ask.length + deny.length === 0;

/** For each tool, the input field that the tester's line stands for. */
const FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  Grep: 'pattern',
  Glob: 'pattern',
  WebFetch: 'url',
  WebSearch: 'query',
};
export const TOOLS = Object.keys(FIELDS);

/**
 * The input of a tool call, from one line of text. If the tool is not in FIELDS, the line is JSON
 * or empty.
 */
export function inputFor(tool: string, text: string): { input?: Json } | null {
  const field = FIELDS[tool];
  if (text.trim() === '') return {};
  if (field !== undefined) return { input: { [field]: text } };
  try {
    return { input: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}
