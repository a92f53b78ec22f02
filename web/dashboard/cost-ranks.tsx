import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CostBy, CostLine } from '../../src/contract/api/cost.ts';
import { userNamesQuery } from '../api/queries.ts';
import { Ranks } from '../parts/chart-ranks.tsx';
import { useTexts } from '../texts/texts.ts';
import { firstAndRest } from './figures.ts';
import { SessionName } from './session-name.tsx';

const MOST = 8;

interface Props {
  readonly by: Exclude<CostBy, 'day'>;
  readonly lines: readonly CostLine[];
  readonly format: (usd: number) => string;
}

export function CostRanks({ by, lines, format }: Props) {
  const t = useTexts();
  const { first, rest, restCount } = firstAndRest(lines, MOST);
  const items = first.map(({ key, costUsd, invocations }) => ({
    key,
    name: <Name by={by} id={key} />,
    value: costUsd,
    note: t.dashboard.invocations(invocations),
  }));
  const others = { key: '…', name: t.dashboard.others(restCount), value: rest };
  return <Ranks items={restCount > 0 ? [...items, others] : items} format={format} />;
}

function Name({ by, id }: { by: Props['by']; id: string }): ReactNode {
  const t = useTexts();
  const { data: users } = useQuery(userNamesQuery);
  if (id === '') return t.dashboard.unknown;
  if (by === 'user') return users?.get(id) ?? id;
  if (by === 'channel') {
    const names: Partial<Record<string, string>> = t.common.channels;
    return names[id] ?? id;
  }
  if (by === 'session')
    return (
      <Link to="/s/$id" params={{ id }} className="underline-offset-3 hover:underline">
        <SessionName id={id} />
      </Link>
    );
  return <span className="font-mono text-dense">{id}</span>;
}
