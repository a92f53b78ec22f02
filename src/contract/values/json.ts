import { z } from 'zod';

/** Any JSON value. Only JSON crosses a process or database boundary, never a live object. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Written by hand, because `z.json()` tries six schemas for each value, and every payload passes
 * through here.
 */
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
  // `every` would skip holes.
  for (const value of array) if (!isJson(value)) return false;
  return true;
}

/**
 * Accepts only plain objects, because a date or a map would come back as something else, and a
 * symbol key would be lost.
 */
function isJsonObject(object: object): boolean {
  if (!z.core.util.isPlainObject(object)) return false;
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'symbol' || !isJson((object as Record<string, unknown>)[key])) return false;
  }
  return true;
}

const encoder = new TextEncoder();

/** The length of the text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return encoder.encode(text).byteLength;
}
