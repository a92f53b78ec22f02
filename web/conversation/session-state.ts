import { queryOptions } from '@tanstack/react-query';
import { BatonError, isBatonError } from '../../src/contract/errors.ts';
import { client, noticeError, queries } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { newKey } from '../parts/new-key.ts';
import { storedNames } from '../state/stored.ts';
import { type Changed, SessionLog } from './log/log.ts';
import { Draft } from './outbox/draft.ts';
import { Outbox, type OutgoingMessage } from './outbox/outbox.ts';
import { outboxPrefix, outboxStorage, parseOutboxName } from './outbox/outbox-storage.ts';
import { laterOf } from './queue/queue-order.ts';

/* State of the most recently opened sessions, so that going back to one shows it at once. */

interface SessionState {
  readonly log: SessionLog;
  readonly outbox: Outbox;
  readonly draft: Draft;
}

const MAX_SESSIONS = 5;
/** Ordered by use, most recent last. */
const sessions = new Map<string, SessionState>();

/** The page keeps the sessions of only one user, because another user gets a new page. */
export function sessionState(userId: string, id: string): SessionState {
  const state = sessions.get(id) ?? open(userId, id);
  sessions.delete(id);
  sessions.set(id, state);
  for (const [other, { outbox, draft }] of sessions) {
    if (sessions.size <= MAX_SESSIONS) break;
    if (other !== id && outbox.isIdle && draft.isIdle) sessions.delete(other);
  }
  return state;
}

/** Sends messages that were unsent when the browser was closed, whichever page it opens on. */
export function sendStored(userId: string): void {
  const messages = storedNames(outboxPrefix(userId)).flatMap((name) => parseOutboxName(name) ?? []);
  for (const id of new Set(messages.map(({ sessionId }) => sessionId))) sessionState(userId, id);
}

// Another tab has sent or discarded a message.
addEventListener('storage', ({ key, newValue }) => {
  const message = key === null || newValue !== null ? null : parseOutboxName(key);
  if (message !== null) sessions.get(message.sessionId)?.outbox.forget(message.key);
});

function open(userId: string, id: string): SessionState {
  const log = new SessionLog({
    sessionId: id,
    source: client,
    soon: (show) => {
      // Background pages get no animation frames.
      if (document.visibilityState === 'visible') requestAnimationFrame(show);
      else setTimeout(show, 100);
    },
    onChange: (what) => changed(id, what),
    onError: (error) => {
      noticeError(error);
      // Deleted, or no longer shared.
      if (isBatonError(error, 'not_found')) changed(id, 'session');
    },
  });
  const outbox = new Outbox({
    deliver: async (message) => {
      if (message.state === 'waiting') await requireSameUser(userId);
      return deliver(id, message);
    },
    onAccepted: ({ runId, status }, { text, files }) => {
      if (status === 'queued') log.noteMessage(runId, text, files);
    },
    store: outboxStorage(userId, id),
    pause,
    newKey,
    now: Date.now,
  });
  return { log, outbox, draft: new Draft(userId, id) };
}

/** A message that waited must not be sent as a different user. */
async function requireSameUser(userId: string): Promise<void> {
  const me = await queries.fetchQuery({
    ...meQuery,
    staleTime: 0,
    retry: false,
    networkMode: 'always',
  });
  if (me.user.id !== userId) throw new BatonError('server_unreachable');
}

const deliver = (id: string, { key, text, onBusy, files }: OutgoingMessage) =>
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

/** The pause ends early when the browser is online again. */
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

/** Queued runs, in the order in which they will start, and scheduled runs. */
export const queuedQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['queue', sessionId],
    queryFn: async ({ signal }) => {
      const query = { state: 'queued', limit: 200 } as const;
      const [queued, all] = await Promise.all([
        client.listSessionRuns({ params: { id: sessionId }, query }, { signal }),
        // Newest first, because that order includes scheduled runs that are not in the queue yet.
        client.listRuns({ query: { ...query, sessionId, order: 'newest' } }, { signal }),
      ]);
      return {
        items: queued.items,
        later: laterOf(all.items, queued.items),
        /** Whether there are more queued runs than these. */
        more: queued.nextCursor !== null,
      };
    },
  });

/** Changes within this time result in one request. */
const BATCH_MS = 50;
const due = new Set<string>();

/** The log reports changes sooner than the hints, which are batched for longer. */
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
  }, BATCH_MS);
}
