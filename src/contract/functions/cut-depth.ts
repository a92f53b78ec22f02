import type { Json } from '../values/json.ts';

/**
 * Deeper nesting is hostile: it would overflow the stack of code that handles the value later, and
 * threads cannot send it to each other.
 */
export const DEPTH_MAX = 100;

/** What stands for everything that was nested too deeply. */
const CUT = '[nested too deeply]';

/** The value without anything below DEPTH_MAX levels; the same value if nothing is. */
export function cutDepth(value: Json): { readonly value: Json; readonly isCut: boolean } {
  return isDeep(value, 0) ? { value: cut(value, 0), isCut: true } : { value, isCut: false };
}

/** Neither function goes deeper than DEPTH_MAX levels. */
function isDeep(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= DEPTH_MAX) return true;
  return Object.values(value).some((inner: Json) => isDeep(inner, depth + 1));
}

function cut(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return CUT;
  if (Array.isArray(value)) return value.map((inner) => cut(inner, depth + 1));
  const entries = Object.entries(value).map(([name, inner]) => [name, cut(inner, depth + 1)]);
  return Object.fromEntries(entries) as Json;
}
