import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Me } from '../../src/contract/access.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import { meQuery, sessionQuery } from '../api/queries.ts';
import { LoadError } from '../parts/notice.tsx';
import { useTitle } from '../parts/page.tsx';
import { Missing } from '../shell/not-found.tsx';
import { useTexts } from '../texts/texts.ts';
import { dropOf, returnToDraft } from './composer/composer.tsx';
import { ConversationContext, type Highlighted } from './context.ts';
import { Empty } from './empty.tsx';
import { hasEnded } from './ended.ts';
import { Footer } from './footer.tsx';
import { Header } from './header.tsx';
import { OutgoingMessages } from './outbox/outgoing.tsx';
import { useOutgoing } from './outbox/use-outgoing.ts';
import { Timeline } from './rows/timeline.tsx';
import { SearchBar } from './search/search-bar.tsx';
import { useSearchKey } from './search/search-key.ts';
import { sessionState } from './session-state.ts';
import { useSeen } from './use-seen.ts';

const route = getRouteApi('/s/$id');

/** `/s/…`: the live conversation of a session, with the composer. */
export function Conversation() {
  const t = useTexts();
  const { id } = route.useParams();
  const { data: session, error: failed, refetch } = useQuery(sessionQuery(id));
  const { data: me, error: noMe, refetch: retryMe } = useQuery(meQuery);
  const error = failed ?? (me === undefined ? noMe : null);
  const isGone = isBatonError(error, 'not_found') || isBatonError(error, 'invalid_request');
  // Drafts belong to a user, so the user must be known.
  if (session !== undefined && me !== undefined && !isGone) {
    return <Loaded key={id} session={session} me={me} />;
  }
  if (error === null) return <p className="p-6 text-soft">{t.common.loading}</p>;
  if (isGone) return <Missing title={t.conversation.missing} />;
  return (
    <div className="p-6">
      <LoadError
        error={error}
        retry={() => {
          void refetch();
          void retryMe();
        }}
      />
    </div>
  );
}

function Loaded({ session, me }: { session: Session; me: Me }) {
  const { event } = route.useSearch();
  const { log, outbox, draft } = useMemo(
    () => sessionState(me.user.id, session.id),
    [me.user.id, session.id],
  );
  const view = useSyncExternalStore(log.subscribe, log.get);
  const [target, setTarget] = useState<{ readonly seq: number } | null>(null);
  const [isSearching, setSearching] = useState(false);
  const [highlighted, setHighlighted] = useState<Highlighted | null>(null);
  const [sent, setSent] = useState(0);
  useTitle(session.name);
  useSeen(session);

  const lastSeq = useRef(session.lastSeq);
  lastSeq.current = session.lastSeq;
  useEffect(() => {
    log.start(lastSeq.current);
    return () => log.stop();
  }, [log]);

  const isLive = view.state === 'live';
  useEffect(() => {
    if (event === undefined || !isLive) return;
    setTarget({ seq: event });
    void log.loadOlder(event);
  }, [event, isLive, log]);

  const messages = useOutgoing(outbox, view, session.id);
  const mayAct = me.rights.includes('run') && session.level !== 'view';
  const context = useMemo(() => ({ session, mayAct, highlighted }), [session, mayAct, highlighted]);
  const onOlder = useCallback(() => void log.loadOlder(), [log]);
  const search = useCallback(() => {
    setSearching(true);
    log.wantWhole(true);
  }, [log]);
  useSearchKey(search);
  const inFlow = messages.filter(({ shownIn, state }) => shownIn === 'flow' || state === 'refused');

  return (
    <ConversationContext value={context}>
      <div
        className="flex h-full flex-col"
        {...dropOf((files) => {
          if (mayAct && !hasEnded(session)) void draft.add(files);
        })}
      >
        <Header session={session} current={view.current} onSearch={search} />
        {isSearching && (
          <SearchBar
            view={view}
            onHighlight={setHighlighted}
            onShow={(seq) => setTarget({ seq })}
            onClose={() => {
              setSearching(false);
              log.wantWhole(false);
              setHighlighted(null);
              setTarget(null);
            }}
          />
        )}
        {view.state === 'failed' && (
          <div className="p-4">
            <LoadError error={view.error} retry={() => log.start(session.lastSeq)} />
          </div>
        )}
        <Timeline view={view} onOlder={onOlder} target={target} sent={sent}>
          {view.rows.length <= 1 && inFlow.length === 0 && (
            <Empty loading={view.state === 'loading'} />
          )}
          <OutgoingMessages
            messages={inFlow}
            outbox={outbox}
            onReturnToDraft={(message) => returnToDraft(draft, message)}
          />
        </Timeline>
        <Footer
          current={view.current}
          messages={messages}
          draft={draft}
          onSend={(written) => {
            outbox.send(
              written,
              isWaiting(written.onBusy, view.current !== null) ? 'queue' : 'flow',
            );
            setSent(sent + 1);
          }}
        />
      </div>
    </ConversationContext>
  );
}

const isWaiting = (onBusy: string, isBusy: boolean): boolean => isBusy && onBusy === 'enqueue';
