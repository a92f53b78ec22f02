import type { Json } from '../contract/json.ts';
import type { AgentPayload, Channel } from '../contract/message.ts';
import type { Verdict } from '../contract/policy.ts';
import type { Masker } from '../policy/masker.ts';
import { shellCall } from '../policy/tools/call.ts';
import type { RulesInForce } from './approval-store.ts';
import { fitText } from './fit-text.ts';
import { judge } from './tool-scopes.ts';

/*
 * A message to the shell agent is a command, and the agent has nobody to ask: the rules are asked when
 * it is sent and again when it is about to run (P3).
 */

/** On these the sender of a command is who would be asked about it. */
const SENDER_APPROVES: readonly Channel[] = ['web', 'api', 'cli'];
/** Of a refused command, in the event. */
const TOLD_BYTES = 16 * 1024;

/** Why a command may not run, or null if it may. */
export function refusalOf(
  command: string,
  workspace: string | null,
  sent: Pick<AgentPayload, 'channel' | 'allowedTools' | 'disallowedTools'>,
  rules: RulesInForce | null,
): Verdict | null {
  const verdict = judge(shellCall(command), workspace, sent, rules);
  const { decision } = verdict;
  const may =
    decision === 'allow' || (decision === 'ask' && SENDER_APPROVES.includes(sent.channel));
  return may ? null : verdict;
}

/** What is told of it in the log. */
export function toldOf(command: string, { scope, rule, reason }: Verdict, masker: Masker): Json {
  const { text, truncated } = fitText(masker.mask(command), TOLD_BYTES);
  return {
    tool: 'Bash',
    input: { command: text },
    scope,
    rule,
    reason: masker.mask(reason),
    ...(truncated ? { truncated } : {}),
  };
}

export const explain = ({ reason }: Verdict): string =>
  `The tool rules do not allow this: ${reason}.`;
