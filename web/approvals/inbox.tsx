import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Approval } from '../../src/contract/approval.ts';
import { pendingApprovalsQuery, sessionQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { usePageKeys } from '../parts/shortcuts.ts';
import { useTexts } from '../texts/texts.ts';
import { ApprovalCard } from './approval-card.tsx';
import { DecidedRow } from './decided-row.tsx';
import { type Group, groupsOf, keepShown } from './groups.ts';
import { recentApprovalsQuery } from './queries.ts';

/** `/inbox`: all questions waiting for an answer. */
export function Inbox() {
  const t = useTexts();
  const { data, error, refetch } = useQuery(pendingApprovalsQuery);
  const [shown, setShown] = useState<readonly Approval[]>([]);
  const next = keepShown(shown, data?.items ?? []);
  if (next !== shown) setShown(next);
  usePageKeys({ j: () => step(1), k: () => step(-1) });
  return (
    <Page title={t.approvals.title}>
      {error !== null && data === undefined && (
        <LoadError error={error} retry={() => void refetch()} />
      )}
      {data !== undefined && shown.length === 0 && (
        <div className="rounded border border-dashed border-line px-4 py-8 text-center">
          <p className="font-medium">{t.approvals.empty}</p>
          <p className="mx-auto mt-1 max-w-md text-soft">{t.approvals.emptyHelp}</p>
        </div>
      )}
      {data !== undefined && data.nextCursor !== null && (
        <p className="mb-4 text-soft">{t.approvals.more(data.items.length)}</p>
      )}
      <div className="space-y-6">
        {groupsOf(shown).map((group) => (
          <OfSession key={group.sessionId} group={group} />
        ))}
      </div>
      <Recent not={shown} />
    </Page>
  );
}

function OfSession({ group: { sessionId, approvals } }: { group: Group }) {
  const { data: session } = useQuery(sessionQuery(sessionId));
  return (
    <section aria-label={session?.name}>
      <h2 className="mb-2 min-h-6">
        <Link
          to="/s/$id"
          params={{ id: sessionId }}
          className="font-semibold hover:underline hover:underline-offset-3"
        >
          {session?.name ?? '…'}
        </Link>
      </h2>
      <div className="space-y-3">
        {approvals.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      </div>
    </section>
  );
}

function Recent({ not }: { not: readonly Approval[] }) {
  const t = useTexts();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(recentApprovalsQuery);
  const above = new Set(not.map(({ id }) => id));
  const recent = data?.pages
    .flatMap(({ items }) => items)
    .filter(({ id, state }) => state !== 'pending' && !above.has(id));
  if (recent === undefined || (recent.length === 0 && not.length > 0)) return null;
  return (
    <section aria-labelledby="recent" className="mt-8">
      <h2 id="recent" className="mb-2 font-semibold">
        {t.approvals.recent}
      </h2>
      {recent.length === 0 && !hasNextPage && <p className="text-soft">{t.approvals.noRecent}</p>}
      <div className="divide-y divide-edge rounded border border-edge bg-panel empty:hidden">
        {recent.map((approval) => (
          <DecidedRow key={approval.id} approval={approval} />
        ))}
      </div>
      {hasNextPage && (
        <Button
          variant="quiet"
          className="mt-3 w-full"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.common.loadMore}
        </Button>
      )}
    </section>
  );
}

/** Moves to the previous or next card. */
function step(by: 1 | -1): boolean {
  const cards = [...document.querySelectorAll<HTMLElement>('main article[data-approval]')];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const to = cards[at === -1 ? 0 : at + by];
  to?.focus();
  to?.scrollIntoView({ block: 'nearest' });
  return true;
}
