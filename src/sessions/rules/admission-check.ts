import type { Principal } from '../../access/principal.ts';
import { BatonError } from '../../contract/errors.ts';
import { type AgentPayload, standingOf } from '../../contract/message.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { shellCall } from '../../policy/tools/call.ts';
import { findToChange, type ServiceParts } from '../service-parts.ts';
import { refusedStart } from './agent-check.ts';
import { explain, refusalOf, toldOf } from './command-check.ts';
import { judgeAsWritten } from './judge-call.ts';

export interface ShellMessage extends Pick<AgentPayload, 'allowedTools' | 'disallowedTools'> {
  readonly sessionId: string;
  readonly message: string;
}

/**
 * Refuses a message to the shell agent that the rules do not allow the person who sends, edits or
 * retries it (P2, P3). Messages to other agents pass: their calls are judged one by one. Says
 * whether a shell runs the message.
 */
export async function checkAdmission(
  parts: ServiceParts,
  by: Principal,
  { sessionId, message, ...tools }: ShellMessage,
): Promise<boolean> {
  const { store, masker, onDenied, ownFiles } = parts;
  const found = await store.rulesFor(sessionId);
  // What is not there is told by who stores the message.
  if (found?.agent.kind !== 'shell') return false;
  const sent = { ...standingOf(by), ...tools };
  // Without following links: the workspace may be on another machine, which looks again.
  const verdict = await refusalOf(message, found.agent, sent, async (call, by) =>
    judgeAsWritten(call, found.workspacePath, by, found, ownFiles),
  );
  if (verdict === null) return true;
  // Whoever may not even send learns nothing of the rules.
  await findToChange(parts, by, sessionId);
  const event = { type: 'policy.denied', payload: toldOf(shellCall(message), verdict, masker) };
  onDenied?.();
  await store.change({ do: 'note', lane: sessionId, event });
  throw new BatonError('policy_denied', explain(verdict), { details: { verdict } });
}

/** Refuses an agent that would start what the rules do not allow the person who configures it (P1). */
export async function checkAgentStart(
  { store, onDenied, ownFiles }: Pick<ServiceParts, 'store' | 'onDenied' | 'ownFiles'>,
  by: Principal,
  agent: AgentSpec,
  workspace: string | null,
): Promise<void> {
  const refused = refusedStart(
    agent,
    workspace,
    standingOf(by),
    await store.sharedRules(),
    ownFiles,
  );
  if (refused === null) return;
  const { field, verdict } = refused;
  onDenied?.();
  throw new BatonError('policy_denied', `${field}: ${explain(verdict)}`, {
    details: { field, verdict },
  });
}
