import { queryOptions } from '@tanstack/react-query';
import { BatonError, isBatonError } from '../../src/contract/errors.ts';
import { client, noticeError, queries } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { newKey } from '../parts/new-key.ts';
import { keptNames } from '../state/stored.ts';
import { type Changed, SessionLog } from './log/log.ts';
import { Draft } from './outbox/draft.ts';
import { type Letter, Outbox } from './outbox/outbox.ts';
import { letterAt, letterStore, lettersOf } from './outbox/outbox-storage.ts';
import { laterOf } from './queue/queue-order.ts';

/* What the page keeps of the sessions that were opened last: going back to one shows it at once. */

interface Kept {
  readonly log: SessionLog;
  readonly outbox: Outbox;
  readonly draft: Draft;
}

const MOST = 5;
/** The one used last is last. */
const sessions = new Map<string, Kept>();

/** Of one person: who signs in as another gets a new page. */
export function sessionState(userId: string, id: string): Kept {
  const state = sessions.get(id) ?? open(userId, id);
  sessions.delete(id);
  sessions.set(id, state);
  for (const [other, { outbox, draft }] of sessions) {
    if (sessions.size <= MOST) break;
    if (other !== id && outbox.isIdle && draft.isIdle) sessions.delete(other);
  }
  return state;
}

/** What was not sent before the browser was closed is sent, whichever page it is opened at. */
export function sendKept(userId: string): void {
  const letters = keptNames(lettersOf(userId)).flatMap((name) => letterAt(name) ?? []);
  for (const id of new Set(letters.map(({ sessionId }) => sessionId))) sessionState(userId, id);
}

// One that another tab has sent or thrown away.
addEventListener('storage', ({ key, newValue }) => {
  const letter = key === null || newValue !== null ? null : letterAt(key);
  if (letter !== null) sessions.get(letter.sessionId)?.outbox.lose(letter.key);
});

function open(userId: string, id: string): Kept {
  const log = new SessionLog({
    sessionId: id,
    source: client,
    soon: (show) => {
      // A page in the background is given no frames.
      if (document.visibilityState === 'visible') requestAnimationFrame(show);
      else setTimeout(show, 100);
    },
    onChange: (what) => changed(id, what),
    onError: (error) => {
      noticeError(error);
      // It was deleted, or is no longer shared.
      if (isBatonError(error, 'not_found')) changed(id, 'session');
    },
  });
  const outbox = new Outbox({
    deliver: async (letter) => {
      if (letter.state === 'waiting') await stillMe(userId);
      return deliver(id, letter);
    },
    onAccepted: ({ runId, status }, { text, files }) => {
      if (status === 'queued') log.noteMessage(runId, text, files);
    },
    store: letterStore(userId, id),
    pause,
    newKey,
    now: Date.now,
  });
  return { log, outbox, draft: new Draft(userId, id) };
}

/** What has waited is not sent as whoever is signed in by now. */
async function stillMe(userId: string): Promise<void> {
  const me = await queries.fetchQuery({
    ...meQuery,
    staleTime: 0,
    retry: false,
    networkMode: 'always',
  });
  if (me.user.id !== userId) throw new BatonError('server_unreachable');
}

const deliver = (id: string, { key, text, onBusy, files }: Letter) =>
  client
    .sendMessage(
      {
        params: { id },
        body: {
          message: text,
          onBusy,
          ...(files.length > 0 && {
            attachments: files.map(({ name, mediaType, data }) => ({ name, mediaType, data })),
          }),
        },
      },
      { idempotencyKey: key },
    )
    .catch((error: unknown) => {
      noticeError(error);
      throw error;
    });

/** Ends at once when the browser is online again. */
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
  });

/** What is queued, in the order they will start; and what has a time of its own. */
export const queuedQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['queue', sessionId],
    queryFn: async ({ signal }) => {
      const query = { state: 'queued', limit: 200 } as const;
      const [queued, all] = await Promise.all([
        client.listSessionRuns({ params: { id: sessionId }, query }, { signal }),
        // By age, and so with those that are not in line yet.
        client.listRuns({ query: { ...query, sessionId, order: 'newest' } }, { signal }),
      ]);
      return {
        items: queued.items,
        later: laterOf(all.items, queued.items),
        /** Whether there are more in line than these. */
        more: queued.nextCursor !== null,
      };
    },
  });

/** Events that come together make one request. */
const GATHER_MS = 50;
const due = new Set<string>();

/** The log knows it before the hints do, which gather more. */
function changed(id: string, what: Changed): void {
  const queryKey = { queue: ['queue', id], session: ['session', id], approvals: ['approvals'] }[
    what
  ];
  const name = queryKey.join(' ');
  if (due.has(name)) return;
  due.add(name);
  setTimeout(() => {
    due.delete(name);
    void queries.invalidateQueries({ queryKey });
  }, GATHER_MS);
}
