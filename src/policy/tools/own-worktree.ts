import type { Verdict } from '../../contract/policy.ts';
import type { ToolCall } from './call.ts';

const DENIED: Verdict = {
  decision: 'deny',
  scope: 'default',
  rule: null,
  reason:
    'it would move the agent to a worktree of its own, but commands are judged in the workspace',
};

/**
 * Denies calls after which Claude Code runs commands in a worktree that it makes below the workspace:
 * the names in them would mean other files than those that are judged (P2, P7).
 */
export function judgeWorktree({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Verdict | null {
  if (tool === 'EnterWorktree') return DENIED;
  if (tool !== 'Agent' && tool !== 'Task') return null;
  const { isolation = null } = (input ?? {}) as { isolation?: unknown };
  return isolation === null ? null : DENIED;
}
