import type { Json } from '../../contract/json.ts';

/** The same text for the same value, in whatever order its fields came. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
