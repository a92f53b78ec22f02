import type { RunView } from '../../src/contract/run-view.ts';

/** The list after one of it was moved, and before which one it then stands; null is last. */
export function moved(
  runs: readonly RunView[],
  from: number,
  to: number,
): { readonly runs: readonly RunView[]; readonly before: string | null } {
  const next = [...runs];
  const [run] = next.splice(from, 1);
  if (run === undefined) return { runs, before: null };
  const at = Math.max(0, Math.min(to, next.length));
  const before = next[at]?.id ?? null;
  next.splice(at, 0, run);
  return { runs: next, before };
}
