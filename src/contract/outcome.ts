import { z } from 'zod';
import { Json } from './values/json.ts';

/**
 * What went wrong. The class decides what happens next, according to the table in policy/retry.ts.
 */
export const ErrorClass = z.enum([
  'timeout',
  'agent_crash',
  'network_error',
  'overloaded',
  'unknown',
  'invalid_tool',
  'permission_denied',
  'user_cancelled',
  'invalid_payload',
  'auth_failed',
  'invalid_request',
  'turn_limit',
  'agent_unavailable',
  'budget_reached',
  'conversation_lost',
  'interrupted_unsafe',
  'command_failed',
  'usage_limit',
  'poisoned',
]);
export type ErrorClass = z.infer<typeof ErrorClass>;

/** System errors that mean this machine is out of resources for now. */
const BUSY = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

export const isBusy = (error: unknown): boolean =>
  BUSY.includes(String((error as { code?: unknown } | null | undefined)?.code));

export const RunError = z.object({ class: ErrorClass, message: z.string() });
export type RunError = z.infer<typeof RunError>;

/** How one attempt ended, as a value. The queue uses it to decide what happens to the run next. */
export const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('succeeded'), result: Json }),
  z.object({ kind: z.literal('failed'), error: RunError }),
  z.object({ kind: z.literal('cancelled') }),
  /** Returned unfinished for another node to continue; not counted as an attempt. */
  z.object({ kind: z.literal('handed_back'), reason: z.string() }),
  /** Waits until a known time (when a usage limit is reset); not counted as an attempt. */
  z.object({ kind: z.literal('parked'), until: z.number(), error: RunError }),
  /** The process has exited but its question stays open; the answer queues the run again. */
  z.object({ kind: z.literal('left_waiting') }),
]);
export type Outcome = z.infer<typeof Outcome>;
