import { z } from 'zod';
import { RunError } from './outcome.ts';
import { RunState } from './run.ts';
import { Tick } from './schedule.ts';
import { LaneId, RunId } from './values/ids.ts';
import { Json } from './values/json.ts';

/** The largest payload of an event, in bytes of JSON text. */
export const EVENT_PAYLOAD_MAX = 256 * 1024;

/** One line of a lane's append-only log. */
export const LogEvent = z.object({
  lane: LaneId,
  seq: z.int(),
  runId: RunId.nullable(),
  attempt: z.int().nullable(),
  type: z.string(),
  payload: Json,
  at: z.number(),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** The format of event types, including those that this version does not know. */
export const AnyEventType = z
  .string()
  .regex(/^[a-z]+(\.[a-z_]+)?$/, 'an event type looks like `run.progress`')
  .max(60);

declare const checked: unique symbol;

/**
 * Marks events whose type and fields the compiler has checked. Exists only as a type; given by
 * `eventOf` and a handler's `emit`.
 */
export interface Checked {
  readonly [checked]: true;
}

/** An event before it is stored. */
export interface NewEvent extends Checked {
  readonly type: string;
  readonly payload: Json;
}

/**
 * The queue's own events. Handlers must not write events of these types, because they mirror
 * transitions.
 */
export const QUEUE_EVENTS = {
  'run.queued': z.object({
    type: z.string(),
    change: z.enum(['edited', 'moved', 'due']).optional(),
    runAt: z.number().optional(),
    /** Set if a schedule created the run. */
    tick: Tick.optional(),
  }),
  'run.dequeued': z.object({ node: z.string() }),
  /** `resumed`: the same attempt continues, because its question was answered. */
  'run.start': z.object({ resumed: z.literal(true).optional() }),
  'run.waiting': z.object({ parked: z.boolean() }),
  'run.retry_scheduled': z.object({ error: RunError, nextRunAt: z.number(), delayMs: z.number() }),
  'run.parked': z.object({ error: RunError, until: z.number() }),
  'run.handed_back': z.object({ reason: z.string() }),
  'run.restarted': z.object({ crashes: z.number() }),
  'run.finished': z.object({ state: RunState, error: RunError.nullable() }),
  'session.held': z.object({ reason: z.enum(['asked', 'failed', 'stopped']) }),
  'session.resumed': z.object({}),
  done: z.object({ state: RunState }),
} as const;

/** Events that any handler may emit. */
export const HANDLER_EVENTS = {
  /** Whatever the handler passes to `progress()`. */
  'run.progress': Json,
} as const;
