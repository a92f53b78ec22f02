/** The candidate that the user probably meant, or undefined if none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const length = name.replace(/^--|^BATON_/, '').length;
  const limit = length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
  return candidates
    .map((candidate) => ({ candidate, edits: editDistance(name, candidate) }))
    .filter(({ edits }) => edits <= limit)
    .toSorted((a, b) => a.edits - b.edits)[0]?.candidate;
}

/**
 * Counts added, removed and replaced characters, and swapped neighbours. Most packages for this
 * count a swap twice.
 */
function editDistance(a: string, b: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row?.[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before?.[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row?.[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row?.[b.length] ?? 0;
}
