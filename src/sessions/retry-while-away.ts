import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '../contract/functions/growing-wait.ts';
import { isTransient } from '../queue/membership/database-watch.ts';

const WAITS = { firstMs: 100, capMs: 2000 };

/**
 * Retries an operation while the database is unavailable, so that an agent's work survives an
 * outage that is shorter than the node's lease (O5). After `signal` is aborted, the next
 * failure is final.
 */
export async function retryWhileAway<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      await delay(backoff(failures, WAITS), undefined, { signal }).catch(() => {});
    }
  }
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;
type Calls<S> = { readonly [K in keyof S]: (...args: never[]) => Promise<unknown> };

/**
 * The same store, except that each call is retried while the database is unavailable. A call is
 * made twice if only the response was lost, so use this store only for calls that are safe to
 * repeat.
 */
export const patient = <S extends Calls<S>>(store: S, signal: AbortSignal): S =>
  new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown as Call;
      return (...args: readonly unknown[]) =>
        retryWhileAway(signal, () => Reflect.apply(method, target, args));
    },
  });
