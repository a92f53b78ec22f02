import { QueryClient } from '@tanstack/react-query';
import { createClient } from '../../src/client/client.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { createStore } from '../parts/store.ts';

/** The server that the page came from; the browser's cookie says who asks. */
export const client = createClient({ url: location.origin });

/** Whether a call was answered that nobody is signed in. */
export const signedOut = createStore(false);

const isUnauthorized = (error: unknown): boolean => isBatonError(error, 'unauthorized');
const mayPass = (error: unknown): boolean =>
  isBatonError(error) && error.code !== 'bad_answer' && error.status >= 500;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The hint stream says when something is old.
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => mayPass(error) && failures < 5,
      retryDelay: (failures) => Math.min(300 * 2 ** failures, 5000),
    },
    mutations: { retry: false },
  },
});

/** Called with every error of a call or a stream. */
export function noticeError(error: unknown): void {
  if (isUnauthorized(error)) signedOut.set(true);
}

queries.getQueryCache().config.onError = noticeError;
queries.getMutationCache().config.onError = noticeError;
