import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../../src/contract/session.ts';
import { Button } from '../parts/button.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { StatusBadge } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useTexts } from '../texts/texts.ts';
import { statusChanges } from './log-window.ts';
import { logQuery } from './queries.ts';

/** Status changes, newest first. */
export function History({ session }: { session: Session }) {
  const t = useTexts();
  const [seen, setSeen] = useState({ status: session.status, last: session.lastSeq });
  // A new status means a new event; other events need no reload.
  if (seen.status !== session.status) setSeen({ status: session.status, last: session.lastSeq });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    logQuery(session.id, seen.last),
  );
  const changes = statusChanges(data?.pages.flatMap(({ items }) => items) ?? []);
  return (
    <Section title={t.detail.history}>
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      <ol className="flex flex-col gap-2">
        {changes.map(({ seq, at, from, to, reason, error: why }) => (
          <li key={seq} className="flex items-start gap-2">
            <span className="flex grow flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="flex items-center gap-1.5">
                {from !== null && (
                  <>
                    <StatusBadge status={from} />
                    <ArrowRight size={12} className="text-soft" aria-hidden />
                  </>
                )}
                <StatusBadge status={to} />
              </span>
              <span className="text-dense">{why ?? t.detail.reasons[reason]}</span>
            </span>
            <Ago at={at} className="shrink-0 text-dense text-soft" />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button
          variant="quiet"
          size="small"
          className="mt-2"
          disabled={isFetching}
          onClick={() => void fetchNextPage()}
        >
          {t.detail.earlier}
        </Button>
      )}
    </Section>
  );
}
