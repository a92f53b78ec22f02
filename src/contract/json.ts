import { z } from 'zod';

/** Any JSON value. What crosses a process or a database is JSON, never a live object. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** By hand: `z.json()` tries six schemas at each value, and every payload passes through here. */
export const Json: z.ZodType<Json> = z
  .unknown()
  .refine(isJson, 'is not JSON') as unknown as z.ZodType<Json>;

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (Array.isArray(value) ? isJsonArray(value) : isJsonObject(value));
    default:
      return false;
  }
}

function isJsonArray(array: readonly unknown[]): boolean {
  // `every` would pass over holes.
  for (const value of array) if (!isJson(value)) return false;
  return true;
}

/** A date or a map would come back as something else, and a key that is a symbol not at all. */
function isJsonObject(object: object): boolean {
  if (!z.core.util.isPlainObject(object)) return false;
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'symbol' || !isJson((object as Record<string, unknown>)[key])) return false;
  }
  return true;
}

const encoder = new TextEncoder();

/** The length in bytes of a text as UTF-8, without allocating for the common short one. */
export function byteLength(text: string): number {
  return encoder.encode(text).byteLength;
}
