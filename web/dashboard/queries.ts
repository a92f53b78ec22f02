import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CostBy } from '../../src/contract/api/cost.ts';
import { client } from '../api/client.ts';
import { RUN_GROUPS, type RunGroup } from './figures.ts';

/** Number of days with costs, including today. */
export const COST_DAYS = 30;
const RECENT = 20;

export const costsQuery = (by: CostBy) =>
  queryOptions({
    // Under `stats`, so that both are invalidated together.
    queryKey: ['stats', 'costs', by],
    queryFn: ({ signal }) => client.listCosts({ query: { by } }, { signal }),
  });

/** The latest runs: all of them, or those in one group of states. */
export const recentRunsQuery = (group: RunGroup | undefined) =>
  queryOptions({
    queryKey: ['runs', 'recent', group ?? 'all'],
    queryFn: async ({ signal }) => {
      const read = (more: object) =>
        client.listRuns({ query: { order: 'newest', limit: RECENT, ...more } }, { signal });
      const pages = await Promise.all(
        group === undefined ? [read({})] : RUN_GROUPS[group].map((state) => read({ state })),
      );
      return pages
        .flatMap(({ items }) => items)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, RECENT);
    },
    placeholderData: keepPreviousData,
  });
