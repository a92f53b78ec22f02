import { parseRule } from './rule.ts';
import { TOOLS } from './tool-table.ts';

/**
 * The tools in these rules that Baton does not know; only the agent can say whether they exist.
 * Tools of MCP servers are left out: a server may connect at any time.
 */
export function unknownTools(rules: readonly string[]): string[] {
  const names = rules.map((rule) => parseRule(rule)?.tool ?? '');
  return names.filter((name) => name !== '' && !TOOLS.has(name) && !/\*$|^mcp__/.test(name));
}
