import type { Verdict } from '../../contract/policy.ts';
import type { ToolCall } from './call.ts';

const denied = (reason: string): Verdict => ({
  decision: 'deny',
  scope: 'default',
  rule: null,
  reason,
});
const MOVES = denied(
  'it could move the agent to a separate worktree, but commands are judged in the workspace',
);
const OTHERS = denied(
  'it reaches other agents on this machine, which may be those of other people',
);

/** A `Workflow` is a script that starts agents, and nobody can know where before it runs. */
const TOOLS: ReadonlyMap<string, Verdict> = new Map([
  ['EnterWorktree', MOVES],
  ['Workflow', MOVES],
  ['ListAgents', OTHERS],
  ['SendMessage', OTHERS],
]);

/**
 * Denies calls of Claude Code that no rule can judge. In a worktree that it makes below the workspace,
 * the names in commands mean other files than those that are judged (P2, P7). Messages between agents
 * pass by everything that Baton checks and logs (X3). Baton offers none of these tools; this is for a
 * version that offers them all the same.
 */
export function judgeRefused({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Verdict | null {
  if (tool !== 'Agent' && tool !== 'Task') return TOOLS.get(tool) ?? null;
  const { isolation = null } = (input ?? {}) as { isolation?: unknown };
  return isolation === null ? null : MOVES;
}
