import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { LogView } from '../log/log.ts';
import { queuedQuery } from '../session-state.ts';
import type { Outbox, Outgoing } from './outbox.ts';

/** What has not begun after this time waits for its turn. */
const SOON_MS = 3000;

/** What was sent and is not yet shown by the log or the queue. */
export function useOutgoing(outbox: Outbox, view: LogView, sessionId: string): readonly Outgoing[] {
  const letters = useSyncExternalStore(outbox.subscribe, outbox.get);
  const { data: queued } = useQuery(queuedQuery(sessionId));
  const begun = useMemo(() => {
    const shown = view.rows.filter(({ kind }) => kind === 'start' || kind === 'dropped');
    return new Set(shown.map((row) => ('runId' in row ? row.runId : null)));
  }, [view.rows]);
  useEffect(() => {
    const waiting = new Set(
      [...(queued?.items ?? []), ...(queued?.later ?? [])].map(({ id }) => id),
    );
    const next = new Set(letters.flatMap(({ place, runId }) => (place === 'flow' ? [runId] : [])));
    outbox.settle((runId) => begun.has(runId) || (waiting.has(runId) && !next.has(runId)));
  }, [letters, queued, begun, outbox]);
  const late = letters.find(({ place, state }) => place === 'flow' && state === 'accepted')?.key;
  useEffect(() => {
    if (late === undefined) return;
    const timer = setTimeout(() => outbox.queue(late), SOON_MS);
    return () => clearTimeout(timer);
  }, [late, outbox]);
  return letters;
}
