import type { z } from 'zod';
import { HANDLER_EVENTS, type LogEvent, QUEUE_EVENTS } from '../event.ts';
import { SESSION_EVENTS } from '../session-event.ts';
import type { Json } from '../values/json.ts';

/**
 * The payload of every event that this version emits. Everything that emits or reads events is
 * typed by this table. A log may also contain events from other versions, and from handlers of
 * programs built on the queue.
 */
export const EVENTS = { ...QUEUE_EVENTS, ...HANDLER_EVENTS, ...SESSION_EVENTS } as const;

export type EventType = keyof typeof EVENTS;

export type EventPayloads = { readonly [T in EventType]: Exact<z.infer<(typeof EVENTS)[T]>> };

/** A payload's type without `undefined` for missing fields, because a payload is JSON. */
type Exact<P> = Json extends P ? P : { readonly [K in keyof P]: Exclude<P[K], undefined> };

/**
 * Refuses the fields of `Given` that `Known` does not have. The compiler itself looks for these only
 * among the fields that are written in a literal, not among those that are spread into it.
 */
export type NoOthers<Given, Known> = unknown extends Known
  ? unknown
  : Json extends Known
    ? unknown
    : { readonly [F in Exclude<NameIn<Given>, NameIn<Known>>]?: never };

/** The names of the fields of any member of a union. */
type NameIn<P> = P extends unknown ? keyof P : never;

/** An event before it is stored; for several types, an event of any of them. */
export type EventOf<T extends EventType> = {
  readonly [K in T]: { readonly type: K; readonly payload: EventPayloads[K] };
}[T];

/** The events that handlers may emit; the queue's own events mirror transitions. */
export type HandlerEvents = Omit<EventPayloads, keyof typeof QUEUE_EVENTS>;

/**
 * The payload of an event of this type; undefined if the event has another type or its payload has
 * an unknown form.
 */
export function payloadOf<T extends EventType>(
  type: T,
  event: Pick<LogEvent, 'type' | 'payload'>,
): EventPayloads[T] | undefined {
  if (event.type !== type) return undefined;
  const parsed = EVENTS[type].safeParse(event.payload);
  return parsed.success ? (parsed.data as EventPayloads[T]) : undefined;
}
