import type { Verdict } from '../../contract/policy.ts';
import type { ToolCall } from './call.ts';

const denied = (reason: string): Verdict => ({
  decision: 'deny',
  scope: 'default',
  rule: null,
  reason,
});
const MOVES = denied(
  'it could move the agent to a separate worktree, but commands are checked against the workspace',
);
const OTHERS = denied(
  'it can reach other agents on this machine, which may belong to other people',
);

/** A `Workflow` is a script that starts agents; where it starts them is unknown until it runs. */
const TOOLS: ReadonlyMap<string, Verdict> = new Map([
  ['EnterWorktree', MOVES],
  ['Workflow', MOVES],
  ['ListAgents', OTHERS],
  ['SendMessage', OTHERS],
]);

/**
 * Denies Claude Code's calls that no rule can judge. In a worktree that Claude Code creates inside
 * the workspace, names in commands refer to files other than those that are judged (P2, P7).
 * Messages between agents bypass all of Baton's checks and logs (X3). Baton does not offer these
 * tools to agents, but some version of Claude Code might.
 */
export function judgeRefused({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Verdict | null {
  if (tool !== 'Agent' && tool !== 'Task') return TOOLS.get(tool) ?? null;
  const { isolation = null } = (input ?? {}) as { isolation?: unknown };
  return isolation === null ? null : MOVES;
}
