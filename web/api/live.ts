import type { InfiniteData } from '@tanstack/react-query';
import type { Answer } from '../../src/client/client.ts';
import type { endpoints } from '../../src/contract/api/all.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionHint } from '../../src/contract/session-event.ts';
import { createStore } from '../parts/store.ts';
import { client, noticeError, queries } from './client.ts';

export type Connection = 'connecting' | 'connected' | 'reconnecting' | 'offline';
/** Of the hint stream; what the page says about itself. */
export const connection = createStore<Connection>('connecting');

/** After an answer that another try at once would not change. */
const AGAIN_MS = 5000;
const SIGNED_OUT_MS = 60_000;

/** Many hints in this time make one request. */
const GATHER_MS = 250;
/** An agent at work gives hints all the time; then it is less and less often, down to this. */
const GATHER_MOST_MS = 4000;

type SessionPage = Answer<typeof endpoints.listSessions>;

/** Follows which sessions change, and loads what the page shows of them again. */
export async function followHints(signal: AbortSignal): Promise<void> {
  const onOffline = (): void => connection.set('offline');
  const onOnline = (): void => connection.set('reconnecting');
  addEventListener('offline', onOffline, { signal });
  addEventListener('online', onOnline, { signal });
  const onState = (state: 'connected' | 'reconnecting'): void =>
    connection.set(state === 'reconnecting' && !navigator.onLine ? 'offline' : state);
  while (!signal.aborted) {
    let pauseMs = AGAIN_MS;
    try {
      for await (const hint of client.hints({ signal, onState })) take(hint);
    } catch (error) {
      noticeError(error);
      // Who has read that they are signed out is left to read on.
      if (isBatonError(error, 'unauthorized')) pauseMs = SIGNED_OUT_MS;
    }
    // Ended for good as the stream sees it: signed out, or something between here and the server.
    onState('reconnecting');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Sessions to be looked at again; `*` is all. */
const due = new Set<string>();
let gatherMs = GATHER_MS;
let gatheredAt = Number.NEGATIVE_INFINITY;

function take(hint: SessionHint): void {
  if (due.size === 0) {
    const isQuiet = performance.now() - gatheredAt > 2 * gatherMs;
    gatherMs = isQuiet ? GATHER_MS : Math.min(2 * gatherMs, GATHER_MOST_MS);
    setTimeout(() => {
      const ids = [...due];
      due.clear();
      gatheredAt = performance.now();
      void refresh(ids);
    }, gatherMs);
  }
  due.add('all' in hint ? '*' : hint.sessionId);
  if (!('all' in hint)) patchStatus(hint);
}

/** The dot in the list is right at once; the rest of the row follows. */
function patchStatus({ sessionId, status, lastSeq }: Exclude<SessionHint, { all: true }>): void {
  patchSession(sessionId, (session) => ({ ...session, status, lastSeq }));
}

export function patchSession(id: string, change: (session: Session) => Session): void {
  queries.setQueryData<Session>(['session', id], (known) => known && change(known));
  queries.setQueriesData<InfiniteData<SessionPage>>({ queryKey: ['sessions'] }, (known) => {
    if (known === undefined) return known;
    const hit = known.pages.some(({ items }) => items.some((each) => each.id === id));
    if (!hit) return known;
    return {
      ...known,
      pages: known.pages.map((page) => ({
        ...page,
        items: page.items.map((each) => (each.id === id ? change(each) : each)),
      })),
    };
  });
}

async function refresh(ids: readonly string[]): Promise<void> {
  const stale = (queryKey: readonly unknown[]) => queries.invalidateQueries({ queryKey });
  const general = [stale(['approvals']), stale(['stats']), stale(['runs'])];
  if (ids.includes('*')) {
    await Promise.all([...general, stale(['sessions']), stale(['session'])]);
    return;
  }
  // A session that the list does not have is new, or was shared or archived.
  const lists = queries.getQueriesData<InfiniteData<SessionPage>>({ queryKey: ['sessions'] });
  const isListed = (id: string): boolean =>
    lists.some(([, list]) => list?.pages.some(({ items }) => items.some((each) => each.id === id)));
  const some = ids.some((id) => !isListed(id)) ? [stale(['sessions'])] : [];
  await Promise.all([...general, ...some, ...ids.map(refreshSession)]);
}

async function refreshSession(id: string): Promise<void> {
  try {
    const session = await client.getSession({ params: { id } });
    queries.setQueryData(['session', id], session);
    patchSession(id, () => session);
  } catch (error) {
    noticeError(error);
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  }
}
