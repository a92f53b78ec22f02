import { queryOptions } from '@tanstack/react-query';
import { client } from '../api/client.ts';

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async ({ signal }) => (await client.listAgents({}, { signal })).items,
  // What was ready for an earlier page may not be now.
  refetchOnMount: 'always',
  // What was missing may be fixed while the page is open.
  refetchInterval: ({ state: { data } }) =>
    data?.some(({ ready }) => ready === false) === true ? 10_000 : false,
});
