import type { Principal } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';
import type { Channel } from '../contract/message.ts';
import type { Verdict } from '../contract/policy.ts';
import { shellCall } from '../policy/tools/call.ts';
import { decide } from '../policy/tools/decide.ts';
import { findToChange, type ServiceParts } from './access.ts';
import { fitText } from './fit-text.ts';
import { placeOf, scopesOf } from './tool-scopes.ts';

/** On these the sender of a command is who would be asked about it (P3). */
const SENDER_APPROVES: readonly Channel[] = ['web', 'api', 'cli'];
/** Of a refused command, in the event. */
const TOLD_BYTES = 16 * 1024;

export interface ShellMessage {
  readonly sessionId: string;
  readonly message: string;
  /** Whose rules count. */
  readonly channel: Channel;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
}

/**
 * Refuses a message to the shell agent that the rules do not allow: it is a command, and the agent has
 * nobody to ask (P3). Messages to other agents pass: their calls are judged one by one.
 */
export async function checkAdmission(
  parts: ServiceParts,
  by: Principal,
  { sessionId, message, channel, ...tools }: ShellMessage,
): Promise<void> {
  const found = await parts.store.rulesFor(sessionId, channel);
  // What is not there is told by who stores the message.
  if (found?.agent !== 'shell') return;
  const call = shellCall(message, placeOf(found.workspacePath));
  const verdict = decide(call, { ...scopesOf(channel, found), ...tools });
  if (verdict.decision === 'allow') return;
  if (verdict.decision === 'ask' && SENDER_APPROVES.includes(by.channel)) return;
  // Whoever may not even send learns nothing of the rules.
  await findToChange(parts, by, sessionId);
  await tell(parts, sessionId, message, verdict);
  throw new BatonError('policy_denied', `The tool rules do not allow this: ${verdict.reason}.`, {
    details: { verdict },
  });
}

async function tell(
  { store, masker, onDenied }: ServiceParts,
  lane: string,
  message: string,
  { scope, rule, reason }: Verdict,
): Promise<void> {
  const { text, truncated } = fitText(masker.mask(message), TOLD_BYTES);
  const payload = {
    tool: 'Bash',
    input: { command: text },
    scope,
    rule,
    reason: masker.mask(reason),
    ...(truncated ? { truncated } : {}),
  };
  onDenied?.();
  await store.change({ do: 'note', lane, event: { type: 'policy.denied', payload } });
}
