import type { Principal } from '../../access/principal.ts';
import type { AttachmentNote } from '../../contract/attachment.ts';
import { BatonError } from '../../contract/errors.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { defined } from '../../contract/functions/defined.ts';
import { type AgentPayload, type MessageRequest, standingOf } from '../../contract/message.ts';
import type { Json } from '../../contract/values/json.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { MAX_ATTEMPTS } from '../../policy/retry.ts';
import { giveWay, isLong } from '../../queue/give-way.ts';
import type { Admission } from '../../queue/store.ts';
import type { SecretBox } from '../../secrets/box.ts';
import { fitEnd } from '../turn/fit-end.ts';
import { maskInPieces } from '../turn/mask-in-pieces.ts';
import type { SteerRecord, SteerRequest } from './steer-store.ts';

/* Turns a person's message into a run. */

/** The stored form of a message: masked, with the encrypted original if masking changed it (P4). */
export interface StoredMessage {
  readonly message: string;
  readonly original: string | null;
}

/** Long messages give way to other work: a person can send hundreds of them at once. */
export async function storeMessage(
  { userId }: Pick<Principal, 'userId'>,
  text: string,
  sessionId: string,
  tools: { readonly masker: Masker; readonly box: SecretBox; readonly runsInShell: boolean },
): Promise<StoredMessage> {
  const { masker, runsInShell } = tools;
  if (runsInShell && isLong(text)) await giveWay(userId);
  // A person who retries a command must be able to see everything it does.
  const message = runsInShell ? masker.maskCall(text) : await maskInPieces(masker, text, userId);
  return { message, original: message === text ? null : tools.box.seal(text, sealedAs(sessionId)) };
}

/** The original text, which the agent gets. */
export const openOriginal = (sealed: string, sessionId: string, box: SecretBox): string =>
  box.open(sealed, sealedAs(sessionId));

export const textOfSteer =
  (box: SecretBox) =>
  ({ message, original, sessionId }: SteerRecord): string =>
    original === null ? message : openOriginal(original, sessionId, box);

/** Bound to the session, not to the run, because a retry reuses the original. */
const sealedAs = (sessionId: string): string => `message in ${sessionId}`;

/**
 * Text with a mask in it is not what the person wrote, so it must not be sent to the agent again.
 */
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
  readonly files: readonly AttachmentNote[];
  readonly idempotencyKey: string | null;
  readonly maskJson: (value: Json) => Json;
  readonly box: SecretBox;
}

function payloadOf(parts: AdmissionParts): AgentPayload {
  const { by, stored, files } = parts;
  const { allowedTools, disallowedTools, metadata } = parts.body;
  return {
    message: stored.message,
    ...standingOf(by),
    sender: by.userId,
    original: stored.original !== null,
    ...(files.length === 0 ? {} : { attachments: [...files] }),
    ...defined({ allowedTools, disallowedTools }),
    ...(metadata === undefined ? {} : { metadata: parts.maskJson(metadata) as typeof metadata }),
  };
}

/**
 * A person who edits or retries a message becomes its sender, so the message is judged by their
 * standing (P2).
 */
export function takenOverBy(by: Principal, payload: AgentPayload): AgentPayload {
  const { through: _, ...rest } = payload;
  return { ...rest, ...standingOf(by), sender: by.userId };
}

export function admissionOf(parts: AdmissionParts): Admission {
  const { sessionId, by, body, runId, idempotencyKey } = parts;
  const { onBusy, runAt } = body;
  return {
    id: runId,
    type: 'agent',
    payload: JSON.stringify(payloadOf(parts)),
    lane: sessionId,
    owner: by.userId,
    runAt: runAt === undefined ? null : Date.parse(runAt),
    delayMs: null,
    maxAttempts: MAX_ATTEMPTS.agent,
    idempotencyKey,
    bodyHash: idempotencyKey === null ? null : digestOf(parts),
    onBusy: onBusy === 'steer' ? 'reject' : onBusy,
  };
}

/** How much of the message its event contains; the whole message is stored with the steer. */
const EVENT_TEXT_BYTES = 128 * 1024;

/** A message for an agent at work. It cannot have settings that apply only to a new run (Q11). */
export function steerOf(parts: AdmissionParts, queueMax: number): SteerRequest {
  const { sessionId, body, runId, stored, idempotencyKey } = parts;
  for (const field of ['attachments', 'runAt', 'allowedTools', 'disallowedTools'] as const) {
    if (body[field] === undefined) continue;
    const message = `A message to a running agent cannot have ${field}.`;
    throw new BatonError('invalid_request', message, { details: { field } });
  }
  const payload = payloadOf(parts);
  const { text, truncated } = fitEnd(payload.message, EVENT_TEXT_BYTES);
  const { sender, channel } = payload;
  const event = { steerId: runId, text, sender, channel, ...(truncated ? { truncated } : {}) };
  return {
    sessionId,
    id: runId,
    payload: JSON.stringify(payload),
    event: eventOf('run.steered', event).payload,
    original: stored.original,
    maxAttempts: MAX_ATTEMPTS.agent,
    idempotencyKey,
    bodyHash: idempotencyKey === null ? null : digestOf(parts),
    queueMax,
  };
}

/**
 * A digest of the body as received, secrets included: a different secret makes a different body.
 */
const digestOf = ({ body, sessionId, box }: AdmissionParts): string =>
  box.digest(JSON.stringify(body), sealedAs(sessionId));
