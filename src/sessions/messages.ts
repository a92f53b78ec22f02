import { createHash } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import type { Json } from '../contract/json.ts';
import type { AgentPayload, MessageRequest } from '../contract/message.ts';
import type { Masker } from '../policy/masker.ts';
import { MAX_ATTEMPTS } from '../policy/retry.ts';
import type { Admission } from '../queue/store.ts';
import type { SecretBox } from '../secrets/box.ts';
import { refuseSecrets } from './refuse-secrets.ts';

/* From what a person wrote to the run it becomes. */

/** What of a message is stored: masked, and the original encrypted if masking changed it (P4). */
export interface StoredMessage {
  readonly message: string;
  readonly original: string | null;
}

export function storeMessage(
  text: string,
  sessionId: string,
  tools: { readonly masker: Masker; readonly box: SecretBox },
): StoredMessage {
  const message = tools.masker.mask(text);
  return { message, original: message === text ? null : tools.box.seal(text, sealedAs(sessionId)) };
}

/** What the agent gets. */
export const openOriginal = (sealed: string, sessionId: string, box: SecretBox): string =>
  box.open(sealed, sealedAs(sessionId));

/** Of the session, not the run: a run that is retried takes its original along. */
const sealedAs = (sessionId: string): string => `message in ${sessionId}`;

/** A text with a mask in it is no longer what was written: it must not go back to the agent. */
export function refuseMask(text: string, masker: Masker): void {
  if (masker.hasMask(text)) {
    throw new BatonError('contains_mask', undefined, { details: { field: 'message' } });
  }
}

export interface AdmissionParts {
  readonly sessionId: string;
  readonly by: Principal;
  readonly body: MessageRequest;
  readonly runId: string;
  readonly stored: StoredMessage;
  readonly idempotencyKey: string | null;
  readonly maskJson: (value: Json) => Json;
}

export function admissionOf(parts: AdmissionParts): Admission {
  const { sessionId, by, body, runId, stored, idempotencyKey } = parts;
  const { allowedTools, disallowedTools, metadata, onBusy, runAt } = body;
  refuseSecrets({ allowedTools, disallowedTools }, parts.maskJson);
  const payload: AgentPayload = {
    message: stored.message,
    channel: by.channel,
    sender: by.userId,
    original: stored.original !== null,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(metadata === undefined ? {} : { metadata: parts.maskJson(metadata) as typeof metadata }),
  };
  return {
    id: runId,
    type: 'agent',
    payload: JSON.stringify(payload),
    lane: sessionId,
    owner: by.userId,
    runAt: runAt === undefined ? null : Date.parse(runAt),
    delayMs: null,
    maxAttempts: MAX_ATTEMPTS.agent,
    idempotencyKey,
    bodyHash: idempotencyKey === null ? null : hashOf(body),
    // An agent that cannot be steered can take a message only when it has nothing else to do.
    onBusy: onBusy === 'steer' ? 'reject' : onBusy,
  };
}

/** Of the body as it came, secrets included: another secret is another body. */
const hashOf = (body: MessageRequest): string =>
  createHash('sha256').update(JSON.stringify(body)).digest('base64url');

export const newRunId = (): string => newId();
