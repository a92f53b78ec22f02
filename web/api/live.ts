import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionHint } from '../../src/contract/session-event.ts';
import { createStore } from '../parts/store.ts';
import { client, noticeError, queries } from './client.ts';
import type { SessionFilter } from './queries.ts';
import {
  changeSession,
  firstPages,
  hasSession,
  type SessionPages,
  withNewSession,
  withoutSession,
} from './session-pages.ts';

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

const LISTS = ['sessions'];
/** When anything may have changed, so many pages of a list are read again. */
const PAGES_KEPT = 4;

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

type Change = (list: SessionPages, filter: SessionFilter) => SessionPages;

/** Of every list of sessions that the page knows, by its filter. */
function changeLists(change: Change): void {
  for (const [queryKey, list] of queries.getQueriesData<SessionPages>({ queryKey: LISTS })) {
    if (list === undefined) continue;
    const next = change(list, (queryKey[1] ?? {}) as SessionFilter);
    if (next !== list) queries.setQueryData(queryKey, next);
  }
}

export function patchSession(id: string, change: (session: Session) => Session): void {
  queries.setQueryData<Session>(['session', id], (known) => known && change(known));
  changeLists((list) => changeSession(list, id, change));
}

async function refresh(ids: readonly string[]): Promise<void> {
  const stale = (queryKey: readonly unknown[]) => queries.invalidateQueries({ queryKey });
  const general = [stale(['approvals']), stale(['stats']), stale(['runs'])];
  if (ids.includes('*')) {
    changeLists((list) => (list.pages.length > PAGES_KEPT ? firstPages(list, PAGES_KEPT) : list));
    await Promise.all([...general, stale(LISTS), stale(['session'])]);
    return;
  }
  await Promise.all([...general, ...ids.map(refreshSession)]);
}

async function refreshSession(id: string): Promise<void> {
  try {
    const session = await client.getSession({ params: { id } });
    queries.setQueryData(['session', id], session);
    changeLists((list, filter) => placed(list, filter, session));
  } catch (error) {
    noticeError(error);
    if (isBatonError(error, 'not_found')) changeLists((list) => withoutSession(list, id));
  }
}

/** Only the server knows what belongs into a list that is filtered. */
function placed(list: SessionPages, filter: SessionFilter, session: Session): SessionPages {
  if (hasSession(list, session.id)) {
    const isAway = session.archivedAt !== null && filter.archived !== true;
    return isAway
      ? withoutSession(list, session.id)
      : changeSession(list, session.id, () => session);
  }
  if (Object.keys(filter).length > 0) {
    void queries.invalidateQueries({ queryKey: [...LISTS, filter], exact: true });
    return list;
  }
  return session.archivedAt === null ? withNewSession(list, session) : list;
}
