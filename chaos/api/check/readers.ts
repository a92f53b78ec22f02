import { groupBy, type Report, show } from '../../check/evidence.ts';
import type { Evidence } from './evidence.ts';

/** Each reader saw its session's events once and in order, at least up to the drain. */
export function checkReaders({ events, readers, ends }: Evidence, report: Report): void {
  const lanes = groupBy(events, ({ lane }) => lane);
  for (const [reader, { session, seen }] of readers.entries()) {
    const there = lanes.get(session) ?? [];
    const at = seen.findIndex(({ seq, digest }, i) => {
      const event = there[i];
      return event?.seq !== seq || event.digest !== digest;
    });
    if (at !== -1)
      report(
        'reader',
        `reader ${reader} of ${session} saw ${show(seen.slice(at, at + 2))} as number ${at + 1}, there is ${show(there[at] ?? null)}`,
      );
    const end = ends[session] ?? 0;
    if (seen.length < end)
      report('reader', `reader ${reader} of ${session} saw ${seen.length} events of ${end}`);
  }
}
