import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionHint } from '../../src/contract/session-event.ts';
import { createStore } from '../state/store.ts';
import { Batch } from './batch.ts';
import { client, noticeError, queries } from './client.ts';
import { forget, recordHint, type SingleHint } from './hint-cache.ts';
import { onNewKey } from './page-key.ts';
import { listedSession, type SessionFilter } from './queries.ts';
import {
  changeSession,
  firstPages,
  hasSession,
  type SessionPages,
  withNewSession,
  withoutSession,
} from './session-pages.ts';

export type Connection = 'connecting' | 'connected' | 'reconnecting' | 'offline';
/** State of the hint stream, shown as the connection state of the page. */
export const connection = createStore<Connection>('connecting');

/** Delay after an error that an immediate retry would not fix. */
const RETRY_MS = 5000;
const SIGNED_OUT_MS = 60_000;

const LISTS = ['sessions'];
/** How many pages of a list are reloaded when anything may have changed. */
const PAGES_KEPT = 4;

/** Follows the hint stream, and reloads whatever the page shows about changed sessions. */
export async function followHints(signal: AbortSignal): Promise<void> {
  const onState = (state: 'connected' | 'reconnecting'): void =>
    connection.set(state === 'reconnecting' && !navigator.onLine ? 'offline' : state);
  // While the stream works, the browser's network state is ignored: the server may be on this
  // machine.
  const onNetwork = (): void => {
    if (connection.get() !== 'connected') onState('reconnecting');
  };
  addEventListener('offline', onNetwork, { signal });
  addEventListener('online', onNetwork, { signal });
  while (!signal.aborted) {
    let pauseMs = RETRY_MS;
    try {
      for await (const hint of client.hints({ signal, onState })) onHint(hint);
    } catch (error) {
      noticeError(error);
      // The page already says that the user is signed out, so there is no hurry.
      if (isBatonError(error, 'unauthorized')) pauseMs = SIGNED_OUT_MS;
    }
    // The stream ended for good: the user is signed out, or something between the page and the
    // server cut it off.
    onState('reconnecting');
    await pause(pauseMs);
  }
}

/** The pause ends early when another tab signs in. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      stop.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    onNewKey(end, { signal: stop.signal });
  });
}

/** Stands for everything, when anything may have changed. */
const ALL = '*';
const stale = (queryKey: readonly unknown[]) => queries.invalidateQueries({ queryKey });

const sessionsDue = new Batch<string>(250, 8000, (ids) => {
  if (isSeen()) void refreshAll(ids);
});
const figuresDue = new Batch<string>(500, 10_000, () => {
  if (!isSeen()) return;
  void stale(['stats']);
  void stale(['runs']);
});
// Runs even while the page is hidden, because its title shows how many questions are waiting.
const approvalsDue = new Batch<string>(250, 5000, () => void stale(['approvals']));

const stopDue = new Batch<string>(250, 8000, () => void stale(['stop']));

/** Filtered lists that the loaded sessions may have joined or left. */
const filteredDue = new Batch<SessionFilter>(50, 8000, (filters) => {
  for (const filter of filters) void stale([...LISTS, filter]);
});

/** A hidden page loads nothing; when it becomes visible, it reloads what it shows. */
let isBehind = false;
function isSeen(): boolean {
  isBehind ||= document.visibilityState === 'hidden';
  return !isBehind;
}
document.addEventListener('visibilitychange', () => {
  if (!isBehind || document.visibilityState === 'hidden') return;
  isBehind = false;
  sessionsDue.add(ALL);
  figuresDue.add(ALL);
});

function onHint(hint: SessionHint): void {
  if ('all' in hint) {
    for (const batch of [sessionsDue, figuresDue, approvalsDue, stopDue]) batch.add(ALL);
    return;
  }
  const { sessionId, ...changes } = hint;
  const invalidated = recordHint(
    hint,
    queries.getQueryData<Session>(['session', sessionId]) ?? listedSession(sessionId),
  );
  // Shows at once what the hint contains; the rest of the row follows.
  queries.setQueryData<Session>(
    ['session', sessionId],
    (known) => known && patched(known, changes),
  );
  if (invalidated.row)
    changeLists((list) => changeSession(list, sessionId, (known) => patched(known, changes)));
  // A session that became active may belong in a list that does not have it.
  if (invalidated.session || (invalidated.row && listedSession(sessionId) === undefined))
    sessionsDue.add(sessionId);
  if (invalidated.figures) figuresDue.add(ALL);
  if (invalidated.approvals) approvalsDue.add(ALL);
}

/** Keeps the loaded `updatedAt`, because comparing it shows that there is more to load. */
const patched = (
  known: Session,
  { updatedAt: _, ...changes }: Omit<SingleHint, 'sessionId'>,
): Session => ({
  ...known,
  ...changes,
});

type Change = (list: SessionPages, filter: SessionFilter) => SessionPages;

/** Applies a change to every list of sessions that the page has loaded. */
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

/**
 * Up to this many sessions are loaded one by one; if there are more, the most recently active ones
 * are loaded as a list.
 */
const FEW = 2;
const LAST_ACTIVE = 100;

async function refreshAll(ids: readonly string[]): Promise<void> {
  if (ids.includes(ALL)) {
    changeLists((list) => (list.pages.length > PAGES_KEPT ? firstPages(list, PAGES_KEPT) : list));
    await Promise.all([stale(LISTS), stale(['session'])]);
    return;
  }
  const left = new Set(ids);
  if (left.size > FEW) {
    const page = await client
      .listSessions({ query: { limit: LAST_ACTIVE, order: 'activity' } })
      .catch(noticeError);
    for (const session of page?.items ?? []) if (left.delete(session.id)) show(session);
  }
  await Promise.all([...left].map(refreshSession));
}

async function refreshSession(id: string): Promise<void> {
  try {
    show(await client.getSession({ params: { id } }));
  } catch (error) {
    noticeError(error);
    forget(id);
    if (!isBatonError(error, 'not_found')) return;
    changeLists((list) => withoutSession(list, id));
    // A list that is being loaded may still contain the session.
    if (queries.isFetching({ queryKey: LISTS }) > 0) void stale(LISTS);
    // Notifies the page that has the session open.
    await stale(['session', id]);
  }
}

function show(session: Session): void {
  queries.setQueryData(['session', session.id], session);
  changeLists((list, filter) => placed(list, filter, session));
}

/** Only the server knows which sessions belong in a filtered list. */
function placed(list: SessionPages, filter: SessionFilter, session: Session): SessionPages {
  if (hasSession(list, session.id)) {
    const isHidden = session.archivedAt !== null && filter.archived !== true;
    return isHidden
      ? withoutSession(list, session.id)
      : changeSession(list, session.id, () => session);
  }
  if (Object.keys(filter).length > 0) {
    filteredDue.add(filter);
    return list;
  }
  return session.archivedAt === null ? withNewSession(list, session) : list;
}
