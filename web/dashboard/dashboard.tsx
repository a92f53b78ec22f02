import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Stats } from '../../src/contract/stats.ts';
import { statsQuery } from '../api/queries.ts';
import { Bars } from '../parts/chart.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Page } from '../parts/page.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { Activity } from './activity.tsx';
import { Costs } from './costs.tsx';
import { Empty } from './empty.tsx';
import { dayLabel, hasRun } from './figures.ts';
import { Tiles } from './tiles.tsx';

const route = getRouteApi('/dashboard');

export function Dashboard() {
  const t = useTexts();
  const { runs } = route.useSearch();
  const { data: stats, error, refetch } = useQuery(statsQuery);
  return (
    <Page title={t.dashboard.title} wide>
      {stats === undefined && error !== null && (
        <LoadError error={error} retry={() => void refetch()} />
      )}
      {stats !== undefined && !hasRun(stats) && <Empty />}
      {stats !== undefined && hasRun(stats) && (
        <div className="flex flex-col gap-4">
          <Tiles stats={stats} shown={runs} />
          <div className="grid gap-4 lg:grid-cols-2">
            <Trend stats={stats} />
            <Costs />
          </div>
          <Activity group={runs} />
        </div>
      )}
    </Page>
  );
}

function Trend({ stats }: { stats: Stats }) {
  const t = useTexts();
  const locale = useStore(language);
  return (
    <Bars
      title={t.dashboard.trend}
      columnTitle={t.dashboard.day}
      series={[
        { name: t.common.run.succeeded, fill: 'fill-good', swatch: 'bg-good' },
        { name: t.common.run.failed, fill: 'fill-bad', swatch: 'bg-bad' },
        { name: t.common.run.cancelled, fill: 'fill-line', swatch: 'bg-line' },
      ]}
      columns={stats.days.map(({ day, succeeded, failed, cancelled }) => ({
        label: dayLabel(day, locale),
        values: [succeeded, failed, cancelled],
      }))}
      format={(count) => count.toLocaleString(locale)}
      least={4}
    />
  );
}
