import type { Principal } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';
import type { AgentPayload } from '../contract/message.ts';
import { findToChange, type ServiceParts } from './access.ts';
import { explain, refusalOf, toldOf } from './command-check.ts';

export interface ShellMessage
  extends Pick<AgentPayload, 'channel' | 'allowedTools' | 'disallowedTools'> {
  readonly sessionId: string;
  readonly message: string;
}

/**
 * Refuses a message to the shell agent that the rules do not allow (P3). Messages to other agents
 * pass: their calls are judged one by one.
 */
export async function checkAdmission(
  parts: ServiceParts,
  by: Principal,
  { sessionId, message, ...sent }: ShellMessage,
): Promise<void> {
  const { store, masker, onDenied } = parts;
  const found = await store.rulesFor(sessionId, sent.channel);
  // What is not there is told by who stores the message.
  if (found?.agent !== 'shell') return;
  const verdict = refusalOf(message, found.workspacePath, sent, found);
  if (verdict === null) return;
  // Whoever may not even send learns nothing of the rules.
  await findToChange(parts, by, sessionId);
  const event = { type: 'policy.denied', payload: toldOf(message, verdict, masker) };
  onDenied?.();
  await store.change({ do: 'note', lane: sessionId, event });
  throw new BatonError('policy_denied', explain(verdict), { details: { verdict } });
}
