import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { meQuery, type SessionFilter, sessionsQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { LoadError } from '../parts/notice.tsx';
import { useTexts } from '../texts/texts.ts';
import { SessionFilters } from './session-filters.tsx';
import { SessionRow } from './session-row.tsx';

/** Sessions, most recently active first, with search and filters above. */
export function SessionList() {
  const t = useTexts();
  const [filter, setFilter] = useState<SessionFilter>({});
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    sessionsQuery(filter),
  );
  const more = useRef<HTMLButtonElement>(null);
  useInSight(more, hasNextPage && !isFetchingNextPage, () => void fetchNextPage());
  const sessions = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="flex h-full min-h-0 flex-col">
      <SessionFilters filter={filter} onChange={setFilter} />
      <nav aria-label={t.shell.sessions} className="min-h-0 grow overflow-y-auto px-2 pb-3">
        {error !== null && data === undefined && (
          <LoadError error={error} retry={() => void refetch()} />
        )}
        <ul>
          {sessions.map((session) => (
            <li key={session.id}>
              <SessionRow session={session} />
            </li>
          ))}
        </ul>
        {data !== undefined && sessions.length === 0 && (
          <Nothing filter={filter} onClear={() => setFilter({})} />
        )}
        {hasNextPage && (
          <Button
            ref={more}
            variant="quiet"
            size="small"
            className="mt-1 w-full"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? t.common.loading : t.common.loadMore}
          </Button>
        )}
      </nav>
    </div>
  );
}

/** Says what will appear here, with a button to create the first session. */
function Nothing({ filter, onClear }: { filter: SessionFilter; onClear: () => void }) {
  const t = useTexts();
  const { data: me } = useQuery(meQuery);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <div className="px-2 py-3 text-dense text-soft">
      <p>{isFiltered ? t.shell.noMatch : t.shell.noSessions}</p>
      {isFiltered ? (
        <Button size="small" className="mt-2" onClick={onClear}>
          {t.shell.clearFilters}
        </Button>
      ) : (
        me?.rights.includes('run') === true && (
          <Link to="/new" className="mt-2 inline-block text-ink underline underline-offset-3">
            {t.shell.newSession}
          </Link>
        )
      )}
    </div>
  );
}

/** Loads more when the end of the list becomes visible. */
function useInSight(
  element: RefObject<HTMLElement | null>,
  isWanted: boolean,
  act: () => void,
): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (!isWanted || element.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting === true && latest.current(),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isWanted, element]);
}
