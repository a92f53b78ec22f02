import { operations } from 'virtual:operations';
import { QueryClient } from '@tanstack/react-query';
import { clientOf } from '../../src/client/calls.ts';
import type { Contract } from '../../src/client/operation.ts';
import { sse } from '../../src/client/sse.ts';
import { webSockets } from '../../src/client/websocket.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { backoff } from '../../src/contract/functions/growing-wait.ts';
import { createStore } from '../state/store.ts';
import { isRetryable } from './is-retryable.ts';
import { fetchWithKey, onNewKey } from './page-key.ts';

const RETRY = { firstMs: 300, capMs: 5000 };
const server = { url: location.origin, fetch: fetchWithKey };

/**
 * The server this page was loaded from; cookie and page key identify the user. Responses are not
 * validated, because the schemas would make up a fifth of what the first page has to load.
 */
export const client = clientOf(
  {
    ...server,
    transport: webSockets(server, {
      fallback: sse(server),
      createTicket: operations.createTicket,
      network: window,
    }),
  },
  {
    operations,
    answer: (_, value) => value,
    event: (value) => value as ReturnType<Contract['event']>,
    hint: (value) => value as ReturnType<Contract['hint']>,
  },
);

/** Whether a call was refused because nobody is signed in. */
export const signedOut = createStore(false);

const isUnauthorized = (error: unknown): boolean => isBatonError(error, 'unauthorized');

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The server may be on this machine or a local network, whatever the browser says about being
      // online.
      networkMode: 'always',
      // The hint stream invalidates what has changed.
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => isRetryable(error) && failures < 5,
      // Back off longer when rate-limited.
      retryDelay: (failures, error) =>
        isBatonError(error, 'rate_limited') ? 10_000 : backoff(failures + 1, RETRY),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Called with every error from a call or a stream. */
export function noticeError(error: unknown): void {
  if (isUnauthorized(error)) signedOut.set(true);
}

// Another tab has signed in, so repeat what was refused here.
onNewKey(() => {
  signedOut.set(false);
  void queries.invalidateQueries();
});

queries.getQueryCache().config.onError = noticeError;
queries.getMutationCache().config.onError = noticeError;
