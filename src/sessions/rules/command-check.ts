import type { Channel } from '../../contract/message.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { AgentSpec } from '../../contract/session.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { shellCall, type ToolCall } from '../../policy/tools/call.ts';
import { strictest } from '../../policy/tools/decide.ts';
import { commandText } from '../../policy/tools/started-by.ts';
import { fitEnd } from '../turn/fit-end.ts';
import type { Call, Sent } from './tool-scopes.ts';

/*
 * A message to the shell agent is a command, and this agent cannot ask anyone, so the rules are
 * checked when the message is sent and again before it runs (P3). The same applies to programs that
 * an agent is configured to start.
 */

/** On these channels, the sender of a command is the person who would be asked about it. */
const SENDER_APPROVES: readonly Channel[] = ['web', 'api', 'cli'];
/** How much of a refused command the event about it contains. */
const EVENT_TEXT_BYTES = 16 * 1024;

/** The verdict if something may not run without another person's approval; null if it may run. */
export function refusal(verdict: Verdict, channel: Channel): Verdict | null {
  const { decision } = verdict;
  const may = decision === 'allow' || (decision === 'ask' && SENDER_APPROVES.includes(channel));
  return may ? null : verdict;
}

/**
 * Why a message to the shell agent may not run; null if it may. If the agent has its own command,
 * the message is that command's last argument, so the two are also judged together. The message's
 * `allowedTools` do not count in that case, because they apply to the message alone.
 */
export async function refusalOf(
  message: string,
  { command }: Pick<AgentSpec, 'command'>,
  sent: Sent,
  judged: (call: Call, sent: Sent) => Promise<Verdict>,
): Promise<Verdict | null> {
  const { allowedTools: _, ...whole } = sent;
  const verdicts = [await judged(shellCall(message), sent)];
  if (command !== undefined) {
    verdicts.push(await judged(shellCall(commandText([...command, message])), whole));
  }
  return refusal(strictest(verdicts), sent.channel);
}

/** The payload of `policy.denied`, which is checked where it is emitted. */
export function denialOf(
  { tool, input }: Pick<ToolCall, 'tool' | 'input'>,
  { scope, rule, reason }: Verdict,
  masker: Masker,
) {
  let cut = false;
  const shown = Object.entries((input ?? {}) as Record<string, string>).map(([field, value]) => {
    const { text, truncated } = fitEnd(masker.maskCall(value), EVENT_TEXT_BYTES);
    cut ||= truncated;
    return [field, text] as const;
  });
  return {
    tool,
    input: Object.fromEntries(shown),
    scope,
    rule,
    reason: masker.mask(reason),
    ...(cut ? { truncated: true } : {}),
  };
}

export const explain = ({ reason }: Verdict): string =>
  `The tool rules do not allow this: ${reason}.`;
