import type { Json } from '../../contract/json.ts';
import type { Channel } from '../../contract/message.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { AgentSpec } from '../../contract/session.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { shellCall, type ToolCall } from '../../policy/tools/call.ts';
import { strictest } from '../../policy/tools/decide.ts';
import { commandText } from '../../policy/tools/started-by.ts';
import { fitText } from '../turn/fit-text.ts';
import type { Call, Sent } from './tool-scopes.ts';

/*
 * A message to the shell agent is a command, and the agent has nobody to ask: the rules are asked when
 * it is sent and again when it is about to run (P3). So it is with what an agent is configured to start.
 */

/** On these the sender of a command is who would be asked about it. */
const SENDER_APPROVES: readonly Channel[] = ['web', 'api', 'cli'];
/** Of a refused command, in the event. */
const TOLD_BYTES = 16 * 1024;

/** Why something may not run without a question to anybody else, or null if it may. */
export function refusal(verdict: Verdict, channel: Channel): Verdict | null {
  const { decision } = verdict;
  const may = decision === 'allow' || (decision === 'ask' && SENDER_APPROVES.includes(channel));
  return may ? null : verdict;
}

/**
 * Why a message to the shell agent may not run, or null if it may. Where the agent has a command of its
 * own, the message is its last word: then the two are judged together as well, without the tools that
 * the message names, which mean the message.
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

/** What is told of it in the log. */
export function toldOf(
  { tool, input }: Pick<ToolCall, 'tool' | 'input'>,
  { scope, rule, reason }: Verdict,
  masker: Masker,
): Json {
  let cut = false;
  const shown = Object.entries((input ?? {}) as Record<string, string>).map(([field, value]) => {
    const { text, truncated } = fitText(masker.maskCall(value), TOLD_BYTES);
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
