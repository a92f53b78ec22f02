import { useQuery } from '@tanstack/react-query';
import { stopQuery } from '../api/queries.ts';

/** Whether everything is stopped; if so, nothing runs, whatever is queued. */
export const useStopped = (): boolean => useQuery(stopQuery).data?.stopped === true;
