import type { CancelKind } from '../contract/lane.ts';
import { ErrorClass, isBusy, type Outcome } from '../contract/outcome.ts';
import { PAYLOAD_MAX } from '../contract/run.ts';
import { snapshot } from './json-text.ts';

/*
 * How a handler says how its attempt ended. Returning plain JSON is a success with that result
 * (nothing is null); the helpers here make the other ends. Throwing is a failure.
 */

const MESSAGE_MAX = 8000;

/** An end other than success, made by the helpers below. */
export class Conclusion {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

/** The attempt failed; whether it is tried again follows from the class (policy/retry.ts). */
export const fail = (errorClass: ErrorClass, message: string): Conclusion =>
  new Conclusion({
    kind: 'failed',
    error: { class: ErrorClass.parse(errorClass), message: tidy(message) },
  });

/** Nothing can be done before a known time, such as the reset of a usage limit. */
export function park(until: number | Date, message: string): Conclusion {
  const time = Number(until);
  if (!Number.isFinite(time)) throw new TypeError('park() needs a time to wait for');
  const error = { class: 'usage_limit', message: tidy(message) } as const;
  return new Conclusion({ kind: 'parked', until: Math.round(time), error });
}

/** Another node, or this one later, shall go on with the run; not counted as an attempt. */
export const handBack = (reason: string): Conclusion =>
  new Conclusion({ kind: 'handed_back', reason: tidy(reason) });

/** The process goes but its question stays open; the answer queues the run again. */
export const leaveWaiting = (): Conclusion => new Conclusion({ kind: 'left_waiting' });

/** Thrown by a handler that knows what kind of failure it met. */
export class HandlerError extends Error {
  readonly class: ErrorClass;
  override readonly name = 'HandlerError';

  constructor(errorClass: ErrorClass, message: string, options?: ErrorOptions) {
    super(message, options);
    this.class = errorClass;
  }
}

/** Why an attempt's signal was aborted; it is the signal's `reason`. */
export class AbortReason extends Error {
  /**
   * `stopped`: everything was. `lost`: the run may already be executing elsewhere, so nothing more
   * about it is written.
   */
  readonly kind: 'cancelled' | 'shutdown' | 'stopped' | 'lost';
  readonly cancel: CancelKind | null;
  // What libraries that take a signal look for.
  override readonly name = 'AbortError';

  constructor(kind: AbortReason['kind'], message: string, cancel: CancelKind | null = null) {
    super(message);
    this.kind = kind;
    this.cancel = cancel;
  }
}

/** What a handler gave back, or threw. */
export type Returned = { readonly value: unknown } | { readonly error: unknown };

/** The outcome a handler's return means by itself. */
export function outcomeOf(returned: Returned): Outcome {
  if ('error' in returned) return failureOf(returned.error);
  const { value } = returned;
  if (value instanceof Conclusion) return value.outcome;
  if (value === undefined) return { kind: 'succeeded', result: null };
  // A result that cannot be stored would be the same after every attempt, so it is of a class that
  // is not tried again; of those, `invalid_payload` is the one about data of the wrong form.
  try {
    const { json, bytes } = snapshot(value);
    if (bytes <= PAYLOAD_MAX) return { kind: 'succeeded', result: json };
    return unfit(`The handler's result has ${bytes} bytes; ${PAYLOAD_MAX} are allowed.`);
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

/** A message from whatever was thrown; handlers throw strings, objects and nothing at all. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return tidy(error.message || error.name);
  if (typeof error === 'string') return tidy(error);
  try {
    return tidy(JSON.stringify(error) ?? String(error));
  } catch {
    return 'The handler threw something that cannot be shown.';
  }
}

/** Short enough for a row and free of what a database's text cannot hold. */
const tidy = (message: string): string =>
  String(message).slice(0, MESSAGE_MAX).replaceAll('\0', '\uFFFD').toWellFormed();
