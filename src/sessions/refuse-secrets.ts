import { BatonError } from '../contract/errors.ts';
import type { CreateSession, UpdateSession } from '../contract/session.ts';
import type { Json } from '../contract/values/json.ts';

/**
 * Refuses secrets in fields that are stored and shown unmasked (P4). If these fields were masked, a
 * name would be useless, a command would not start, and a tool rule would match something else.
 */
export function refuseSecrets(
  fields: Readonly<Record<string, Json | undefined>>,
  maskJson: (value: Json) => Json,
): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || JSON.stringify(maskJson(value)) === JSON.stringify(value)) continue;
    throw new BatonError('invalid_request', `${field}: looks like a secret`, {
      details: { field },
    });
  }
}

export const wordsOf = ({ name, tags, labels }: UpdateSession) => ({ name, tags, labels });

/** The command is joined into one string, because a flag says what the next word is. */
export const settingsOf = (session: CreateSession) => ({
  ...wordsOf(session),
  'agent.model': session.agent.model,
  'agent.fallbackModel': session.agent.fallbackModel,
  'agent.command': session.agent.command?.join(' '),
  'agent.systemPrompt': session.agent.systemPrompt,
  'agent.mcpServers': toJson(session.agent.mcpServers ?? {}),
  workspace: toJson(session.workspace),
});

const toJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;
