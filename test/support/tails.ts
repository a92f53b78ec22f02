import type { LogEvent } from '../../src/contract/event.ts';
import type { Tail } from '../../src/queue/follow/tail.ts';
import type { Store } from '../../src/queue/store.ts';

/** The next `count` events of a tail, or fewer if it ends. */
export async function read(tail: Tail, count: number): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  while (events.length < count) {
    const next = await tail.next();
    if (next.done === true) break;
    events.push(next.value);
  }
  return events;
}

/** All events of a tail until it ends. */
export const readAll = (tail: Tail): Promise<LogEvent[]> => read(tail, Number.POSITIVE_INFINITY);

export const seqs = (events: readonly LogEvent[]): number[] => events.map(({ seq }) => seq);

/** first, first + 1, … last. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The same store, without hints. */
export const deaf = (store: Store): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'onHint') return () => () => {};
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
