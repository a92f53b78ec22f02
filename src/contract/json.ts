import { z } from 'zod';

/** Any JSON value. What crosses a process or a database is JSON, never a live object. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const Json: z.ZodType<Json> = z.json() as unknown as z.ZodType<Json>;

const encoder = new TextEncoder();

/** The length in bytes of a text as UTF-8, without allocating for the common short one. */
export function byteLength(text: string): number {
  return encoder.encode(text).byteLength;
}
