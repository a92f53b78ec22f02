import type { EventPayloads, EventType } from '../contract/events/table.ts';
import type { Json } from '../contract/values/json.ts';

/*
 * Reads payloads and inputs without schemas, which the page does not load. The compiler checks the
 * fields' names. Their values may come from another version, so they are checked here. Missing or
 * unexpected values count as empty; they are never an error.
 */

export type Fields = { readonly [name: string]: Json };

/** The fields of a value that should be a P. */
export type FieldsOf<P> = { readonly [F in keyof P]?: Json };

/** The fields of an event's payload; for several types, the fields that all of them have. */
export type EventFields<T extends EventType> = Json extends EventPayloads[T]
  ? Fields
  : FieldsOf<EventPayloads[T]>;

type Name<F> = keyof F & string;

export const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

export const textIn = <F extends object>(fields: F, name: Name<F>): string =>
  textOrNull(fields, name) ?? '';

export const textOrNull = <F extends object>(fields: F, name: Name<F>): string | null => {
  const value: unknown = fields[name];
  return typeof value === 'string' ? value : null;
};

export const numberIn = <F extends object>(fields: F, name: Name<F>): number => {
  const value: unknown = fields[name];
  return typeof value === 'number' ? value : 0;
};

export const itemsIn = <F extends object>(fields: F, name: Name<F>): readonly Fields[] => {
  const value: unknown = fields[name];
  return Array.isArray(value) ? value.map((each) => fieldsOf(each as Json)) : [];
};
