import type { Principal } from '../../access/principal.ts';
import { takesCommands } from '../../contract/agent-kinds.ts';
import { BatonError } from '../../contract/errors.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { type AgentPayload, standingOf } from '../../contract/message.ts';
import type { AgentSpec } from '../../contract/session.ts';
import { shellCall } from '../../policy/tools/call.ts';
import { COMMAND_MAX } from '../../policy/tools/call-size.ts';
import { giveWay, isLong } from '../../queue/give-way.ts';
import { findSession } from '../find-session.ts';
import type { ServiceParts } from '../service-parts.ts';
import { refusedStart } from './agent-check.ts';
import { denialOf, explain, refusalOf } from './command-check.ts';
import { judgeAsWritten } from './judge-call.ts';
import { locationOf } from './tool-scopes.ts';

export interface ShellMessage extends Pick<AgentPayload, 'allowedTools' | 'disallowedTools'> {
  readonly sessionId: string;
  readonly message: string;
}

/**
 * Refuses a message to the shell agent if the rules do not allow the person to send, edit or retry
 * it (P2, P3). Messages to other agents pass, because those agents' calls are judged one by one.
 * Returns whether a shell runs the message.
 */
export async function checkAdmission(
  parts: ServiceParts,
  by: Principal,
  { sessionId, message, ...tools }: ShellMessage,
): Promise<boolean> {
  const { store, masker, onDenied, ownFiles } = parts;
  const rules = await store.rulesFor(sessionId);
  // A missing session is reported when the message is stored.
  if (rules === null || !takesCommands(rules.agent)) return false;
  if (message.length > COMMAND_MAX) {
    await findSession(parts, by, sessionId, 'operate');
    throw tooLong(message);
  }
  const sent = { ...standingOf(by), ...tools };
  // Links are not followed, because the workspace may be on another machine, which checks again.
  const verdict = await refusalOf(message, rules.agent, sent, async (call, as) => {
    if (isLong(message)) await giveWay(by.userId);
    return judgeAsWritten(call, locationOf(rules.workspacePath, parts), as, rules, ownFiles);
  });
  if (verdict === null) return true;
  // A person who may not even send a message must learn nothing about the rules.
  await findSession(parts, by, sessionId, 'operate');
  if (isLong(message)) await giveWay(by.userId);
  const event = eventOf('policy.denied', denialOf(shellCall(message), verdict, masker));
  onDenied?.();
  await store.change({ do: 'note', lane: sessionId, event });
  throw new BatonError('policy_denied', explain(verdict), { details: { verdict } });
}

const tooLong = ({ length }: string): BatonError =>
  new BatonError(
    'invalid_request',
    `message: a shell command can have at most ${COMMAND_MAX} characters, and this one has ${length}. Put the text into a file.`,
    { details: { field: 'message' } },
  );

/**
 * Refuses an agent if it would start anything that the rules deny to the person who configures it
 * (P1).
 */
export async function checkAgentStart(
  parts: Pick<ServiceParts, 'store' | 'onDenied' | 'ownFiles' | 'home'>,
  by: Principal,
  agent: AgentSpec,
  workspace: string | null,
): Promise<void> {
  const { store, onDenied, ownFiles } = parts;
  const refused = refusedStart(
    agent,
    locationOf(workspace, parts),
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
