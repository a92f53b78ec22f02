import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { LogView } from '../log/log.ts';
import { queuedQuery } from '../session-state.ts';
import type { Outbox, OutboxItem } from './outbox.ts';

/** A message that has not started after this time is shown in the queue. */
const SOON_MS = 3000;

/** Sent messages that neither the log nor the queue shows yet. */
export function useOutgoing(
  outbox: Outbox,
  view: LogView,
  sessionId: string,
): readonly OutboxItem[] {
  const messages = useSyncExternalStore(outbox.subscribe, outbox.get);
  const { data: queued } = useQuery(queuedQuery(sessionId));
  const started = useMemo(() => {
    const shown = view.rows.filter(({ kind }) => kind === 'start' || kind === 'dropped');
    return new Set(shown.map((row) => ('runId' in row ? row.runId : null)));
  }, [view.rows]);
  useEffect(() => {
    const waiting = new Set(
      [...(queued?.items ?? []), ...(queued?.later ?? [])].map(({ id }) => id),
    );
    const next = new Set(
      messages.flatMap(({ shownIn, runId }) => (shownIn === 'flow' ? [runId] : [])),
    );
    outbox.dropShown((runId) => started.has(runId) || (waiting.has(runId) && !next.has(runId)));
  }, [messages, queued, started, outbox]);
  const late = messages.find(
    ({ shownIn, state }) => shownIn === 'flow' && state === 'accepted',
  )?.key;
  useEffect(() => {
    if (late === undefined) return;
    const timer = setTimeout(() => outbox.moveToQueue(late), SOON_MS);
    return () => clearTimeout(timer);
  }, [late, outbox]);
  return messages;
}
