import { useInfiniteQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { sessionsQuery } from '../api/queries.ts';
import { SessionList } from './session-list.tsx';

const NewSession = lazy(async () => ({
  default: (await import('../new-session/new-session.tsx')).NewSession,
}));

/** `/`: the card for a first session; on a phone the list, once there is one. */
export function Start() {
  const { data } = useInfiniteQuery(sessionsQuery({}));
  const some = (data?.pages[0]?.items.length ?? 0) > 0;
  return (
    <>
      {some && (
        <div className="h-full md:hidden">
          <SessionList />
        </div>
      )}
      <div className={`h-full ${some ? 'max-md:hidden' : ''}`}>
        {data !== undefined && (
          <Suspense>
            <NewSession />
          </Suspense>
        )}
      </div>
    </>
  );
}
