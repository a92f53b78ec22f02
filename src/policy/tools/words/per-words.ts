/**
 * Caches what was computed for a command's words, because every rule needs it: a command may have a
 * hundred thousand words, and a session hundreds of rules.
 */
export function perWords<T>(
  compute: (words: readonly string[], ...more: (string | undefined)[]) => T,
): (words: readonly string[], ...more: (string | undefined)[]) => T {
  const known = new WeakMap<readonly string[], Map<string, T>>();
  return (words, ...more) => {
    const results = known.get(words) ?? new Map<string, T>();
    known.set(words, results);
    const key = JSON.stringify(more);
    if (!results.has(key)) results.set(key, compute(words, ...more));
    return results.get(key)!;
  };
}
