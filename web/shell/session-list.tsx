import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type SessionFilter, sessionsQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { LoadError } from '../parts/notice.tsx';
import { useTexts } from '../texts/texts.ts';
import { SessionFilters } from './session-filters.tsx';
import { SessionRow } from './session-row.tsx';

/** The sessions, newest first, with search and filters above. */
export function SessionList() {
  const t = useTexts();
  const [filter, setFilter] = useState<SessionFilter>({});
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    sessionsQuery(filter),
  );
  const sessions = data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
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
          <p className="px-2 py-3 text-dense text-soft">
            {isFiltered ? t.shell.nothingFound : t.shell.noSessions}
          </p>
        )}
        {hasNextPage && (
          <Button
            look="quiet"
            size="small"
            className="mt-1 w-full"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t.common.loadMore}
          </Button>
        )}
      </nav>
    </div>
  );
}
