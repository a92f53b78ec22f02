import { BatonError } from '../contract/errors.ts';
import { DELAY_MAX_MS, PAYLOAD_MAX, RunRequest } from '../contract/run.ts';
import { newId } from '../contract/values/ids.ts';
import type { Json } from '../contract/values/json.ts';
import type { Handlers, RegisteredType } from './handlers.ts';
import { bodyHash, toJsonText } from './json-text.ts';
import { parseInput } from './parse-input.ts';
import type { Admission } from './store.ts';

/**
 * Validates a request against its schema, its type's schema and the limits; errors name the field.
 */
export function admissionOf(
  request: RunRequest,
  handlers: Handlers,
  now: number,
  at: string,
): Admission {
  const payload = payloadText(request?.payload ?? null, at);
  const parsed = parseInput(RunRequest, request, at);
  const type = handlers.get(parsed.type);
  checkPayload(type, parsed.payload, at);
  if (parsed.runAt !== undefined && parsed.delayMs !== undefined) {
    throw wrong(`${at}runAt`, 'give either runAt or delayMs');
  }
  if (parsed.runAt !== undefined && parsed.runAt - now > DELAY_MAX_MS) {
    throw wrong(`${at}runAt`, 'runAt is more than ten years away');
  }
  const key = parsed.idempotencyKey ?? null;
  return {
    id: newId(),
    type: parsed.type,
    payload,
    lane: parsed.lane ?? null,
    owner: parsed.owner ?? '',
    runAt: parsed.runAt ?? null,
    delayMs: parsed.delayMs ?? null,
    maxAttempts: parsed.maxAttempts ?? type.maxAttempts,
    idempotencyKey: key,
    bodyHash: key === null ? null : bodyHash(request),
    onBusy: parsed.onBusy ?? 'enqueue',
  };
}

/** Called before validation: a cyclic or very deep payload must not reach a recursive schema. */
export function payloadText(payload: unknown, at = ''): string {
  let text: { text: string; bytes: number };
  try {
    text = toJsonText(payload);
  } catch {
    throw wrong(`${at}payload`, 'is not JSON');
  }
  if (text.bytes <= PAYLOAD_MAX) return text.text;
  const message = `${at}payload: is ${text.bytes} bytes; the limit is ${PAYLOAD_MAX}`;
  throw new BatonError('payload_too_large', message, { details: { field: `${at}payload` } });
}

export function checkPayload(type: RegisteredType, payload: Json, at = ''): void {
  try {
    type.parse(payload);
  } catch (error) {
    if (at === '' || !(error instanceof BatonError)) throw error;
    throw new BatonError(error.code, `${at}${error.message}`, { details: error.details });
  }
}

const wrong = (field: string, message: string): BatonError =>
  new BatonError('invalid_request', `${field}: ${message}`, { details: { field } });
