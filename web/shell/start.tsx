import { useInfiniteQuery } from '@tanstack/react-query';
import { sessionsQuery } from '../api/queries.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { LoadError } from '../parts/notice.tsx';
import { useTitle } from '../parts/page.tsx';
import { withRest } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { SessionList } from './session-list.tsx';
import { isWide, useIsWide } from './wide.ts';

const NewSession = lazyPart(
  withRest(() => import('../new-session/new-session.tsx')),
  'NewSession',
);

/** Preloads the form before it is known whether there are sessions. */
export function preloadStart(): void {
  if (isWide()) NewSession.preload();
}

/** `/`: the form for a first session or, on a phone, the list of sessions if there are any. */
export function Start() {
  const { data, error, refetch } = useInfiniteQuery(sessionsQuery({}));
  const hasRoom = useIsWide();
  if (data === undefined) {
    if (error === null) return null;
    return (
      <div className="p-4">
        <LoadError error={error} retry={() => void refetch()} />
      </div>
    );
  }
  if (!hasRoom && (data.pages[0]?.items.length ?? 0) > 0) return <Sessions />;
  return <NewSession />;
}

function Sessions() {
  const t = useTexts();
  useTitle(t.shell.sessions);
  return (
    <>
      <h1 className="sr-only">{t.shell.sessions}</h1>
      <SessionList />
    </>
  );
}
