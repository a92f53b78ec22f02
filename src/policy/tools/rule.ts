import { ToolRule } from '../../contract/policy.ts';

/** A parsed rule: `Bash(git push)` is the tool `Bash` with the specifier `git push`. */
export interface Rule {
  /** A tool, `mcp__server`, a name that ends in `*`, or `*`. */
  readonly tool: string;
  readonly specifier: string | null;
}

/** Null if the rule is malformed. `Bash(*)` is `Bash`, as in Claude Code. */
export function parseRule(text: string): Rule | null {
  if (!ToolRule.safeParse(text).success) return null;
  const open = text.indexOf('(');
  if (open === -1) return { tool: text, specifier: null };
  const tool = text.slice(0, open);
  const specifier = text.slice(open + 1, -1).trim();
  // What a specifier means depends on the tool, so a specifier for several tools means nothing.
  if (tool.endsWith('*') || specifier === '') return null;
  return { tool, specifier: specifier === '*' || specifier === ':*' ? null : specifier };
}

export const printRule = ({ tool, specifier }: Rule): string =>
  specifier === null ? tool : `${tool}(${specifier})`;
