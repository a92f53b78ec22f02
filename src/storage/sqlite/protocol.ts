import type { ErrorCode } from '../../contract/errors.ts';
import { BatonError } from '../../contract/errors.ts';
import type { KeepLease } from '../../queue/store.ts';
import type { Done } from '../operations/dialect.ts';
import type { WriteCall } from '../operations/registry.ts';

/* The messages between the main thread and the writer thread. */

export interface Call {
  readonly id: number;
  readonly write: WriteCall;
  /** Set by tests; null means the thread's own clock. */
  readonly now: number | null;
}

export type ToWriter =
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  | {
      readonly kind: 'keep';
      readonly nodeId: string;
      readonly buffer: SharedArrayBuffer;
      readonly options: KeepLease;
    }
  | { readonly kind: 'release'; readonly nodeId: string }
  | { readonly kind: 'close' };

export type Reply = { readonly id: number } & (
  | { readonly done: Done<unknown> }
  | { readonly error: PlainError }
);

export type FromWriter =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
  /** A message to the thread could not be read. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'release'; readonly nodeId: string };

/** An error as data: an object sent to another thread loses its class. */
export interface PlainError {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details: unknown;
  readonly stack: string | undefined;
}

export function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error))
    return { code: null, message: String(error), details: undefined, stack: undefined };
  const { message, stack } = error;
  return error instanceof BatonError
    ? { code: error.code, message, details: error.details, stack }
    : { code: null, message, details: undefined, stack };
}

export function fromPlain(plain: PlainError): Error {
  if (plain.code !== null)
    return new BatonError(plain.code, plain.message, { details: plain.details });
  const error = new Error(plain.message);
  if (plain.stack !== undefined) error.stack = plain.stack;
  return error;
}
