import type { CancelKind } from '../contract/lane.ts';
import { ErrorClass, isBusy, type Outcome } from '../contract/outcome.ts';
import { PAYLOAD_MAX } from '../contract/run.ts';
import { snapshot } from './json-text.ts';

/*
 * How a handler reports the outcome of its attempt. If the handler returns plain JSON, the attempt
 * succeeds with that result (undefined becomes null). If the handler throws, the attempt fails. The
 * helpers here create the other outcomes.
 */

const MESSAGE_MAX = 8000;

/** An outcome other than success, created by the helpers below. */
export class Conclusion {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

/** The attempt failed; the error class decides whether it is retried (policy/retry.ts). */
export const fail = (errorClass: ErrorClass, message: string): Conclusion =>
  new Conclusion({
    kind: 'failed',
    error: { class: ErrorClass.parse(errorClass), message: tidy(message) },
  });

/** The run must wait until a known time, such as when a usage limit is reset. */
export function park(until: number | Date, message: string): Conclusion {
  const time = Number(until);
  if (!Number.isFinite(time))
    throw new TypeError('park() needs the time until which the run waits');
  const error = { class: 'usage_limit', message: tidy(message) } as const;
  return new Conclusion({ kind: 'parked', until: Math.round(time), error });
}

/** Another node continues the run, or this one does so later; the attempt is not counted. */
export const handBack = (reason: string): Conclusion =>
  new Conclusion({ kind: 'handed_back', reason: tidy(reason) });

/** The process exits but its question stays open; the answer queues the run again. */
export const leaveWaiting = (): Conclusion => new Conclusion({ kind: 'left_waiting' });

/** Thrown by a handler to name the class of a failure. */
export class HandlerError extends Error {
  readonly class: ErrorClass;
  override readonly name = 'HandlerError';

  constructor(errorClass: ErrorClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.class = errorClass;
  }
}

/** Why an attempt's signal was aborted; used as the signal's `reason`. */
export class AbortReason extends Error {
  /**
   * `stopped`: the installation was stopped. `lost`: the run may already be executing elsewhere, so
   * nothing more is written about it.
   */
  readonly kind: 'cancelled' | 'shutdown' | 'stopped' | 'lost';
  readonly cancel: CancelKind | null;
  // Libraries recognise an abort by this name.
  override readonly name = 'AbortError';

  constructor(kind: AbortReason['kind'], message: string, cancel: CancelKind | null = null) {
    super(message);
    this.kind = kind;
    this.cancel = cancel;
  }
}

/** A handler's return value, or the error it threw. */
export type Returned = { readonly value: unknown } | { readonly error: unknown };

/** The outcome that a handler's return value stands for. */
export function outcomeOf(returned: Returned): Outcome {
  if ('error' in returned) return failureOf(returned.error);
  const { value } = returned;
  if (value instanceof Conclusion) return value.outcome;
  if (value === undefined) return { kind: 'succeeded', result: null };
  // A result that cannot be stored would be no better after a retry, so its error class must not be
  // retryable. Among the classes that are never retried, `invalid_payload` is the one for malformed
  // data.
  try {
    const { json, bytes } = snapshot(value);
    if (bytes <= PAYLOAD_MAX) return { kind: 'succeeded', result: json };
    return unfit(`The handler's result is ${bytes} bytes; the limit is ${PAYLOAD_MAX}.`);
  } catch (error) {
    return unfit(`The handler's result is not JSON: ${messageOf(error)}`);
  }
}

function failureOf(error: unknown): Outcome {
  const known = ErrorClass.safeParse((error as { class?: unknown } | null | undefined)?.class);
  const errorClass = known.success ? known.data : isBusy(error) ? 'overloaded' : 'unknown';
  return { kind: 'failed', error: { class: errorClass, message: messageOf(error) } };
}

const unfit = (message: string): Outcome => ({
  kind: 'failed',
  error: { class: 'invalid_payload', message },
});

/** A message for any thrown value; handlers throw strings, objects and even undefined. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return tidy(error.message || error.name);
  if (typeof error === 'string') return tidy(error);
  try {
    return tidy(JSON.stringify(error) ?? String(error));
  } catch {
    return 'The handler threw a value that cannot be displayed.';
  }
}

/** Shortens a message and replaces characters that a database cannot store. */
const tidy = (message: string): string =>
  String(message).slice(0, MESSAGE_MAX).replaceAll('\0', '\uFFFD').toWellFormed();
