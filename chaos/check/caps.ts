import { type EventRow, type Evidence, type Report, show } from './evidence.ts';

/** Events after which a run takes a slot, and events that free it. */
const TAKES = new Set(['run.dequeued', 'run.start']);
const FREES = new Set([
  'run.waiting',
  'run.retry_scheduled',
  'run.parked',
  'run.handed_back',
  'run.restarted',
  'run.finished',
]);

/**
 * Executing runs never exceed a cap. They are counted in the order of commits: everything a claim
 * saw was committed before it. The times in the events do not work, because they say when a
 * transaction began, and it may have waited for another one.
 */
export function checkCaps({ events, runs, caps }: Evidence, report: Report): void {
  const rows = new Map(runs.map((run) => [run.id, run]));
  const taken = new Map<string, string[]>();
  const counts = new Map<string, number>();
  const nodeOf = new Map<string, string>();
  const limit = (slot: string): number => {
    const [kind, name] = [slot.slice(0, slot.indexOf(' ')), slot.slice(slot.indexOf(' ') + 1)];
    if (kind === 'type') return caps.types[name] ?? Number.POSITIVE_INFINITY;
    return kind === 'owner' ? caps.perOwner : caps.perNode;
  };
  const add = (slots: readonly string[], n: number): void => {
    for (const slot of slots) counts.set(slot, (counts.get(slot) ?? 0) + n);
  };
  for (const group of commits(events)) {
    for (const { runId, type, payload } of group) {
      const row = rows.get(runId ?? '');
      if (row === undefined) continue;
      if (type === 'run.dequeued') nodeOf.set(row.id, String(payload['node']));
      if (TAKES.has(type) && !taken.has(row.id)) {
        const slots = [`type ${row.type}`, `owner ${row.owner}`, `node ${nodeOf.get(row.id)}`];
        taken.set(row.id, slots);
        add(slots, 1);
      } else if (FREES.has(type)) {
        add(taken.get(row.id) ?? [], -1);
        taken.delete(row.id);
      }
    }
    for (const [slot, n] of counts) {
      if (n > limit(slot)) report('cap', `${n} executing of ${slot} after ${show(group)}`);
      if (n === 0) counts.delete(slot);
    }
  }
}

/** The events, grouped by commit. */
function commits(events: readonly EventRow[]): EventRow[][] {
  const sorted = events.toSorted((a, b) => a.committedAt - b.committedAt);
  const groups: EventRow[][] = [];
  for (const event of sorted) {
    const group = groups.at(-1);
    if (group?.[0]?.committedAt === event.committedAt) group.push(event);
    else groups.push([event]);
  }
  return groups;
}
