import { queryOptions } from '@tanstack/react-query';
import { client } from '../api/client.ts';

export const hostsQuery = queryOptions({
  queryKey: ['hosts'],
  queryFn: async ({ signal }) => (await client.listHosts({}, { signal })).items,
  refetchOnMount: 'always',
});

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async ({ signal }) => (await client.listAgents({}, { signal })).items,
  // Availability may have changed since an earlier page was open.
  refetchOnMount: 'always',
  // Problems may be fixed while the page is open.
  refetchInterval: ({ state: { data } }) =>
    data?.some(({ ready }) => ready === false) === true ? 10_000 : false,
});
