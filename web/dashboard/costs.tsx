import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CostBy } from '../../src/contract/api/cost.ts';
import { Bars } from '../parts/chart.tsx';
import { INPUT } from '../parts/field.tsx';
import { money } from '../parts/money.tsx';
import { LoadError } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { CostRanks } from './cost-ranks.tsx';
import { dayLabel, everyDay } from './figures.ts';
import { COST_DAYS, costsQuery } from './queries.ts';

/** Cost of the last 30 days, by day or another dimension. */
export function Costs() {
  const t = useTexts();
  const locale = useStore(language);
  const [by, setBy] = useState<CostBy>('day');
  const { data, error, refetch } = useQuery(costsQuery(by));
  const choice = (
    <select
      aria-label={t.dashboard.costsBy}
      className={`${INPUT} w-auto! py-0! text-dense max-md:w-28! md:min-h-8!`}
      value={by}
      onChange={({ target }) => setBy(target.value as CostBy)}
    >
      {(Object.keys(t.dashboard.by) as CostBy[]).map((each) => (
        <option key={each} value={each}>
          {t.dashboard.by[each]}
        </option>
      ))}
    </select>
  );
  const lines = data?.items ?? [];
  const asMoney = (usd: number): string => money(usd, t.common.lessThanACent);
  if (by === 'day')
    return (
      <Bars
        title={t.dashboard.costs}
        columnTitle={t.dashboard.day}
        series={[{ name: t.dashboard.cost, fill: 'fill-info', swatch: 'bg-info' }]}
        columns={everyDay(lines, COST_DAYS, Date.now()).map(({ day, costUsd }) => ({
          label: dayLabel(day, locale),
          values: [costUsd],
        }))}
        format={asMoney}
        least={0.1}
        actions={choice}
      />
    );
  return (
    <section className="min-w-0 rounded border border-edge bg-panel p-4">
      <div className="mb-3 flex min-h-8 flex-wrap items-center gap-3">
        <h2 className="grow font-semibold">{t.dashboard.costs}</h2>
        {choice}
      </div>
      {data === undefined && error !== null && (
        <LoadError error={error} retry={() => void refetch()} />
      )}
      {data !== undefined && lines.length === 0 && (
        <p className="text-soft">{t.dashboard.noCosts}</p>
      )}
      {lines.length > 0 && <CostRanks by={by} lines={lines} format={asMoney} />}
    </section>
  );
}
