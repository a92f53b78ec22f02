import { operations } from 'virtual:operations';
import { QueryClient } from '@tanstack/react-query';
import { clientOf } from '../../src/client/calls.ts';
import type { Contract } from '../../src/client/operation.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { createStore } from '../state/store.ts';
import { mayPass } from './is-retryable.ts';
import { onNewKey } from './page-key.ts';
import { fetchOrSocket } from './sockets.ts';

/**
 * The server that the page came from; cookie and page key say who asks. Its answers are taken as they
 * come: the schemas that would check them are a fifth of what a first page would have to load.
 */
export const client = clientOf(
  { url: location.origin, fetch: fetchOrSocket },
  {
    operations,
    answer: (_, value) => value,
    event: (value) => value as ReturnType<Contract['event']>,
    hint: (value) => value as ReturnType<Contract['hint']>,
  },
);

/** Whether a call was answered that nobody is signed in. */
export const signedOut = createStore(false);

const isUnauthorized = (error: unknown): boolean => isBatonError(error, 'unauthorized');

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The server may be on this machine, or nearer than what a browser calls the network.
      networkMode: 'always',
      // The hint stream says when something is old.
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => mayPass(error) && failures < 5,
      // Who has asked too much waits longer.
      retryDelay: (failures, error) =>
        isBatonError(error, 'rate_limited') ? 10_000 : Math.min(300 * 2 ** failures, 5000),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Called with every error of a call or a stream. */
export function noticeError(error: unknown): void {
  if (isUnauthorized(error)) signedOut.set(true);
}

// Another tab has signed in: what was refused to this one is read again.
onNewKey(() => {
  signedOut.set(false);
  void queries.invalidateQueries();
});

queries.getQueryCache().config.onError = noticeError;
queries.getMutationCache().config.onError = noticeError;
