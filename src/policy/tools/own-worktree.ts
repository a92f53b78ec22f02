import type { Verdict } from '../../contract/policy.ts';
import type { ToolCall } from './call.ts';

const DENIED: Verdict = {
  decision: 'deny',
  scope: 'default',
  rule: null,
  reason:
    'it could move the agent to a worktree of its own, but commands are judged in the workspace',
};

/** A `Workflow` is a script that starts agents, and nobody can know where before it runs. */
const MOVING = new Set(['EnterWorktree', 'Workflow']);

/**
 * Denies calls after which Claude Code may run commands in a worktree that it makes below the workspace:
 * the names in them would mean other files than those that are judged (P2, P7).
 */
export function judgeWorktree({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Verdict | null {
  if (MOVING.has(tool)) return DENIED;
  if (tool !== 'Agent' && tool !== 'Task') return null;
  const { isolation = null } = (input ?? {}) as { isolation?: unknown };
  return isolation === null ? null : DENIED;
}
