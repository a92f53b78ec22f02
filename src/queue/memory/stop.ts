import { READY } from '../hint.ts';
import type { StopRecord, StopStore } from '../store.ts';
import type { Tables } from './tables.ts';

export function setStop(
  tables: Tables,
  stop: Parameters<StopStore['setStop']>[0],
): StopRecord | null {
  const since = tables.stop?.since ?? tables.clock();
  tables.stop = stop === null ? null : { by: stop.by, reason: stop.reason, since };
  tables.hints.noteNodes(tables.nodes.keys());
  if (stop === null) tables.hints.noteTopic(READY);
  return tables.stop;
}
