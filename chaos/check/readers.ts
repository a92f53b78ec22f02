import { type Evidence, groupBy, type Report, show } from './evidence.ts';

/** Each reader saw the events of the table once and in order, and nothing else. */
export function checkReaders({ events, readers }: Evidence, report: Report): void {
  const lanes = groupBy(events, ({ lane }) => lane);
  for (const [reader, seen] of readers.entries()) {
    const byLane = groupBy(seen, ({ lane }) => lane);
    for (const lane of new Set([...lanes.keys(), ...byLane.keys()])) {
      const there = lanes.get(lane) ?? [];
      const saw = byLane.get(lane) ?? [];
      const wrong = there.findIndex((event, i) => {
        const one = saw[i];
        return one?.seq !== event.seq || one.digest !== event.digest;
      });
      const at = wrong === -1 && saw.length > there.length ? there.length : wrong;
      if (at === -1) continue;
      report(
        'reader',
        `reader ${reader} of lane ${lane} saw ${show(saw[at] ?? null)}, there is ${show(there[at] ?? null)}`,
      );
    }
  }
}
