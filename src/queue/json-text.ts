import { createHash } from 'node:crypto';
import type { Json } from '../contract/values/json.ts';

/** A value as JSON text, with its size. Throws for cycles and big integers, like JSON.stringify. */
export function toJsonText(value: unknown): { text: string; bytes: number } {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} is not JSON`);
  return { text, bytes: Buffer.byteLength(text) };
}

/**
 * A JSON copy of a value, so that changes made to the value before it is written do not change what
 * is stored.
 */
export function snapshot(value: unknown): { json: Json; bytes: number } {
  const simple = typeof value === 'string' || typeof value === 'boolean' || value === null;
  const { text, bytes } = toJsonText(value);
  return { json: simple ? (value as Json) : (JSON.parse(text) as Json), bytes };
}

/** JSON text that does not depend on the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1));
    // Integer-like keys always come first in an object, in ascending order, so sorting cannot
    // affect them.
    return Object.fromEntries(entries);
  });
}

export const bodyHash = (body: unknown): string =>
  createHash('sha256').update(canonicalJson(body)).digest('hex');
