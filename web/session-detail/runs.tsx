import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import { takesCommands } from '../../src/contract/agent-kinds.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import { timeTaken } from '../dashboard/figures.ts';
import { Button } from '../parts/button.tsx';
import { Money } from '../parts/money.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { RunBadge } from '../parts/status.tsx';
import { Ago, duration, useSeconds } from '../parts/time.tsx';
import { useTexts } from '../texts/texts.ts';
import { InvocationCard } from './invocation-card.tsx';
import { invocationsQuery, sessionRunsQuery } from './queries.ts';

/** Runs, newest first; each expands to its processes. */
export function Runs({ session }: { session: Session }) {
  const t = useTexts();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    sessionRunsQuery(session.id),
  );
  const runs = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={t.detail.runs} about={t.detail.runsHelp}>
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {data !== undefined && runs.length === 0 && (
        <p className="text-dense text-soft">{t.detail.noRuns}</p>
      )}
      <ul className="-mx-4 divide-y divide-edge">
        {runs.map((run) => (
          <Run key={run.id} run={run} isCommand={takesCommands(session.agent)} />
        ))}
      </ul>
      {hasNextPage && (
        <Button
          variant="quiet"
          size="small"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.detail.earlier}
        </Button>
      )}
    </Section>
  );
}

function Run({ run, isCommand }: { run: RunView; isCommand: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const taken = timeTaken(run, useSeconds());
  const text = run.message ?? run.type;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full flex-wrap items-center gap-x-3 gap-y-0.5 px-4 py-2 text-left hover:bg-raised max-md:min-h-11"
      >
        <ChevronRight
          size={14}
          className={`shrink-0 text-soft ${isOpen ? 'rotate-90' : ''}`}
          aria-hidden
        />
        <RunBadge state={run.state} />
        <span className="min-w-0 flex-1 basis-40 truncate max-md:order-last max-md:basis-full max-md:pl-6.5">
          {isCommand ? spellOutUnseen(text) : text}
        </span>
        <span className="figures text-dense text-soft">
          {taken === null ? '' : duration(taken)}
        </span>
        {run.costUsd > 0 && <Money usd={run.costUsd} className="text-dense" />}
        <Ago at={run.createdAt} className="ml-auto text-dense text-soft" />
      </button>
      {isOpen && <Invocations run={run} />}
    </li>
  );
}

function Invocations({ run }: { run: RunView }) {
  const t = useTexts();
  const { data, error, refetch } = useQuery(invocationsQuery(run.id));
  return (
    <div className="flex flex-col gap-3 px-4 pt-1 pb-3 md:pl-11">
      {run.error !== null && <p className="text-bad">{run.error.message}</p>}
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <p className="text-dense text-soft">{t.detail.noInvocations}</p>}
      {data?.items.map((each) => (
        <InvocationCard key={each.id} invocation={each} />
      ))}
    </div>
  );
}
