import type { Checked } from '../event.ts';
import type { EventOf, EventPayloads, EventType, NoOthers } from './table.ts';

/** An event before it is stored. Unlike a literal, it cannot have an unknown field from a spread. */
export const eventOf = <T extends EventType, P extends EventPayloads[T]>(
  type: T,
  payload: P & NoOthers<P, EventPayloads[T]>,
): EventOf<T> & Checked => ({ type, payload }) as unknown as EventOf<T> & Checked;
