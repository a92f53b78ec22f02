import type { RunView } from '../../../src/contract/run-view.ts';

/** Scheduled runs that have not joined the queue yet, earliest first. */
export function laterOf(all: readonly RunView[], queued: readonly RunView[]): RunView[] {
  const inLine = new Set(queued.map(({ id }) => id));
  const isLater = ({ id, runAt, startedAt }: RunView): boolean =>
    runAt !== null && startedAt === null && !inLine.has(id);
  return all
    .filter(isLater)
    .sort((one, other) => Date.parse(one.runAt ?? '') - Date.parse(other.runAt ?? ''));
}

/**
 * The list after a move, and the run that now follows the moved one; null if it is last. If `more`
 * is set, the list is incomplete, so the last run shown is not the last in the queue and stays
 * where it is.
 */
export function moved(
  runs: readonly RunView[],
  from: number,
  to: number,
  more = false,
): { readonly runs: readonly RunView[]; readonly before: string | null } {
  const next = [...runs];
  const [run] = next.splice(from, 1);
  if (run === undefined) return { runs, before: null };
  const at = Math.max(0, Math.min(to, next.length - (more ? 1 : 0)));
  const before = next[at]?.id ?? null;
  next.splice(at, 0, run);
  return { runs: next, before };
}
