import type { Verdict } from '../../contract/policy.ts';
import type { ToolCall } from './call.ts';
import { TOOLS } from './tool-table.ts';

/** Linux starts no program with a longer argument, so no shell could run a longer command. */
export const COMMAND_MAX = 128 * 1024 - 1;

const DENIED: Verdict = {
  decision: 'deny',
  scope: 'default',
  rule: null,
  reason: `a command can have at most ${COMMAND_MAX} characters; put the text into a file`,
};

/** Denies commands that are too long to run, because judging takes time proportional to length. */
export function judgeSize({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): Verdict | null {
  if (TOOLS.get(tool)?.subject !== 'command') return null;
  const { command } = (input ?? {}) as { command?: unknown };
  return typeof command === 'string' && command.length > COMMAND_MAX ? DENIED : null;
}
