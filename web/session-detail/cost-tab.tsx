import { useQuery } from '@tanstack/react-query';
import type { Cost } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import { Money } from '../parts/money.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Fact, Section } from '../parts/section.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { Estimated } from './estimated.tsx';
import { costQuery } from './queries.ts';
import { Runs } from './runs.tsx';

export function CostTab({ session }: { session: Session }) {
  const t = useTexts();
  const { data, error, refetch } = useQuery(costQuery(session.id));
  return (
    <>
      <Section title={t.detail.cost}>
        {error !== null && <LoadError error={error} retry={() => void refetch()} />}
        {data !== undefined && <Sums cost={data} />}
      </Section>
      <Runs session={session} />
    </>
  );
}

function Sums({ cost }: { cost: Cost }) {
  const t = useTexts();
  const { budgetUsd, costUsd } = cost;
  return (
    <>
      <dl className="mb-3 grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Fact name={t.common.total}>
          <Money usd={costUsd} className="font-semibold" />
        </Fact>
        <Fact name={t.detail.budget}>
          {budgetUsd === null ? t.detail.noBudget : <Money usd={budgetUsd} />}
        </Fact>
        <Fact name={t.detail.starts}>{cost.invocations}</Fact>
      </dl>
      {budgetUsd !== null && budgetUsd > 0 && (
        <svg
          role="img"
          aria-label={t.detail.budgetUsed(Math.round((costUsd / budgetUsd) * 100))}
          className="mb-3 h-1.5 w-full rounded-full bg-raised"
        >
          <rect
            width={`${Math.min(100, (costUsd / budgetUsd) * 100)}%`}
            height="100%"
            className={costUsd >= budgetUsd * 0.8 ? 'fill-warn' : 'fill-info'}
          />
        </svg>
      )}
      {costUsd === 0 ? (
        <p className="text-dense text-soft">{t.detail.noCost}</p>
      ) : (
        <Models
          models={cost.models.filter(({ costUsd: spent, inputTokens }) => spent + inputTokens > 0)}
        />
      )}
    </>
  );
}

function Models({ models }: { models: Cost['models'] }) {
  const t = useTexts();
  const locale = useStore(language);
  const count = (tokens: number): string => tokens.toLocaleString(locale);
  // On a phone, there is room only for the highest costs.
  const head = [
    [t.detail.model, ''],
    [t.detail.input, ''],
    [t.detail.output, ''],
    [t.detail.cacheWrite, 'max-md:hidden'],
    [t.detail.cacheRead, 'max-md:hidden'],
    [t.detail.cost, ''],
  ] as const;
  return (
    <table className="w-full text-dense">
      <thead>
        <tr className="border-b border-edge text-soft">
          {head.map(([name, when], index) => (
            <th
              key={name}
              scope="col"
              className={`py-1 pr-3 font-normal whitespace-nowrap last:pr-0 ${index === 0 ? 'text-left' : 'text-right'} ${when}`}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="figures">
        {models.map((each) => (
          <tr key={`${each.model} ${each.source}`} className="border-b border-edge last:border-0">
            <th scope="row" className="py-1 pr-3 text-left font-normal">
              {each.model ?? t.detail.unknownModel}
              {each.source === 'estimated' && <Estimated />}
            </th>
            <td className="py-1 pr-3 text-right whitespace-nowrap">{count(each.inputTokens)}</td>
            <td className="py-1 pr-3 text-right whitespace-nowrap">{count(each.outputTokens)}</td>
            <td className="py-1 pr-3 text-right whitespace-nowrap max-md:hidden">
              {count(each.cacheCreationTokens)}
            </td>
            <td className="py-1 pr-3 text-right whitespace-nowrap max-md:hidden">
              {count(each.cacheReadTokens)}
            </td>
            <td className="py-1 text-right whitespace-nowrap">
              <Money usd={each.costUsd} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
