import type { EventType } from './table.ts';

declare const other: unique symbol;

/** The type of an event from another version, or from a handler of a program built on the queue. */
export interface OtherEventType {
  readonly [other]: never;
}

/**
 * The type of an event, for comparisons in which a misspelt type does not compile. It is not in
 * table.ts, because it also runs in the page, which loads no schemas.
 */
export const typeOf = ({ type }: { readonly type: string }): EventType | OtherEventType =>
  type as EventType;
