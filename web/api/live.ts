import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionHint } from '../../src/contract/session-event.ts';
import { createStore } from '../state/store.ts';
import { Gather } from './batch.ts';
import { client, noticeError, queries } from './client.ts';
import { forget, type Told, take } from './hint-cache.ts';
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
/** Of the hint stream; what the page says about itself. */
export const connection = createStore<Connection>('connecting');

/** After an answer that another try at once would not change. */
const AGAIN_MS = 5000;
const SIGNED_OUT_MS = 60_000;

const LISTS = ['sessions'];
/** When anything may have changed, so many pages of a list are read again. */
const PAGES_KEPT = 4;

/** Follows which sessions change, and loads what the page shows of them again. */
export async function followHints(signal: AbortSignal): Promise<void> {
  const onState = (state: 'connected' | 'reconnecting'): void =>
    connection.set(state === 'reconnecting' && !navigator.onLine ? 'offline' : state);
  // Only of what the stream has lost: the server may be on this machine.
  const onNetwork = (): void => {
    if (connection.get() !== 'connected') onState('reconnecting');
  };
  addEventListener('offline', onNetwork, { signal });
  addEventListener('online', onNetwork, { signal });
  while (!signal.aborted) {
    let pauseMs = AGAIN_MS;
    try {
      for await (const hint of client.hints({ signal, onState })) hear(hint);
    } catch (error) {
      noticeError(error);
      // Who has read that they are signed out is left to read on.
      if (isBatonError(error, 'unauthorized')) pauseMs = SIGNED_OUT_MS;
    }
    // Ended for good as the stream sees it: signed out, or something between here and the server.
    onState('reconnecting');
    await pause(pauseMs);
  }
}

/** Ends early when another tab signs in. */
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

/** Everything may have changed. */
const ALL = '*';
const stale = (queryKey: readonly unknown[]) => queries.invalidateQueries({ queryKey });

const sessionsDue = new Gather<string>(250, 8000, (ids) => {
  if (isSeen()) void refreshAll(ids);
});
const figuresDue = new Gather<string>(500, 10_000, () => {
  if (!isSeen()) return;
  void stale(['stats']);
  void stale(['runs']);
});
// Also of a page that is not in sight: its title says how many wait.
const approvalsDue = new Gather<string>(250, 5000, () => void stale(['approvals']));

/** Lists that may have more or fewer of the sessions that were loaded. */
const filteredDue = new Gather<SessionFilter>(50, 8000, (filters) => {
  for (const filter of filters) void stale([...LISTS, filter]);
});

/** A page that nobody sees asks for nothing; once it is seen, for all that it shows. */
let isBehind = false;
function isSeen(): boolean {
  isBehind ||= document.visibilityState === 'hidden';
  return !isBehind;
}
document.addEventListener('visibilitychange', () => {
  if (!isBehind || document.visibilityState === 'hidden') return;
  isBehind = false;
  sessionsDue.note(ALL);
  figuresDue.note(ALL);
});

function hear(hint: SessionHint): void {
  if ('all' in hint) {
    for (const gather of [sessionsDue, figuresDue, approvalsDue]) gather.note(ALL);
    void stale(['stop']);
    return;
  }
  const { sessionId, ...told } = hint;
  const old = take(
    hint,
    queries.getQueryData<Session>(['session', sessionId]) ?? listedSession(sessionId),
  );
  // What the list shows is right at once; the rest of the row follows.
  queries.setQueryData<Session>(['session', sessionId], (known) => known && patched(known, told));
  if (old.row)
    changeLists((list) => changeSession(list, sessionId, (known) => patched(known, told)));
  // One that became active may belong into a list that does not have it.
  if (old.session || (old.row && listedSession(sessionId) === undefined))
    sessionsDue.note(sessionId);
  if (old.figures) figuresDue.note(ALL);
  if (old.approvals) approvalsDue.note(ALL);
}

/** That there is more to load is known by `updatedAt`, which so stays as it was loaded. */
const patched = (known: Session, { updatedAt: _, ...told }: Omit<Told, 'sessionId'>): Session => ({
  ...known,
  ...told,
});

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

/** So many are asked for one by one; of more the last active come as a list. */
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
    // One that is being loaded may have been read before, and would bring it back.
    if (queries.isFetching({ queryKey: LISTS }) > 0) void stale(LISTS);
    // Who has it open is told.
    await stale(['session', id]);
  }
}

function show(session: Session): void {
  queries.setQueryData(['session', session.id], session);
  changeLists((list, filter) => placed(list, filter, session));
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
    filteredDue.note(filter);
    return list;
  }
  return session.archivedAt === null ? withNewSession(list, session) : list;
}
