import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunView } from '../../src/contract/run-view.ts';
import { Money } from '../parts/money.tsx';
import { LoadError } from '../parts/notice.tsx';
import { RunBadge } from '../parts/status.tsx';
import { Ago, duration, useSeconds } from '../parts/time.tsx';
import { useTexts } from '../texts/texts.ts';
import { type RunGroup, timeTaken } from './figures.ts';
import { recentRunsQuery } from './queries.ts';
import { SessionName } from './session-name.tsx';

/** The latest runs. */
export function Activity({ group }: { group: RunGroup | undefined }) {
  const t = useTexts();
  const { data: runs, error, refetch } = useQuery(recentRunsQuery(group));
  return (
    <section id="activity" className="min-w-0 rounded border border-edge bg-panel">
      <header className="flex min-h-11 flex-wrap items-center gap-3 border-b border-edge px-4 py-2">
        <h2 className="grow font-semibold">
          {group === undefined
            ? t.dashboard.activity
            : t.dashboard.activityOf(t.dashboard.tiles[group])}
        </h2>
        {group !== undefined && (
          <Link to="/dashboard" search={{}} className="text-dense underline underline-offset-3">
            {t.dashboard.showAll}
          </Link>
        )}
      </header>
      {runs === undefined && error !== null && (
        <LoadError error={error} retry={() => void refetch()} />
      )}
      {runs?.length === 0 && <p className="p-4 text-soft">{t.dashboard.noRuns}</p>}
      <ul className="divide-y divide-edge">
        {runs?.map((run) => (
          <li key={run.id}>
            <Run run={run} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Run({ run }: { run: RunView }) {
  const taken = timeTaken(run, useSeconds());
  return (
    <Link
      to="/s/$id"
      params={{ id: run.sessionId }}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 hover:bg-raised max-md:min-h-11 md:grid-cols-[8.5rem_minmax(0,1fr)_6rem_5rem_6rem]"
    >
      <span className="max-md:order-2 max-md:justify-self-end">
        <RunBadge state={run.state} />
      </span>
      <span className="min-w-0 max-md:order-1">
        <span className="block truncate font-medium">
          <SessionName id={run.sessionId} />
        </span>
        <span className="block truncate text-dense text-soft">{run.message ?? run.type}</span>
      </span>
      <span className="max-md:order-3 max-md:text-dense max-md:text-soft flex gap-2 md:contents">
        <span className="figures md:text-right">{taken === null ? '' : duration(taken)}</span>
        <span className="md:text-right">{run.costUsd > 0 && <Money usd={run.costUsd} />}</span>
      </span>
      <Ago
        at={run.finishedAt ?? run.startedAt ?? run.createdAt}
        className="text-right text-dense text-soft max-md:order-4"
      />
    </Link>
  );
}
