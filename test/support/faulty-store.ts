import { BatonError } from '../../src/contract/errors.ts';
import { keepInProcess } from '../../src/queue/membership/lease-renewal.ts';
import type { Store } from '../../src/queue/store.ts';

export interface Faults {
  /** While set, every call fails with this error. */
  away: BatonError | null;
  /** Called before each call; may wait, or throw instead of the call. */
  before: ((method: string, args: readonly unknown[]) => void | Promise<void>) | null;
  /** Calls of this method succeed, but their answer is lost, this many times. */
  loseAnswers: { method: string; times: number } | null;
  /** How often each method was called. */
  readonly calls: Map<string, number>;
}

const DIRECT = ['onHint', 'keepLease'];

/** A store whose connection can be cut. The lease is renewed through the same connection. */
export function faultyStore<S extends Store>(store: S): { store: S; faults: Faults } {
  const faults: Faults = { away: null, before: null, loseAnswers: null, calls: new Map() };
  return { store: broken(store, faults), faults };
}

function broken<S extends Store>(store: S, faults: Faults): S {
  const call = async (method: string, args: unknown[]): Promise<unknown> => {
    faults.calls.set(method, (faults.calls.get(method) ?? 0) + 1);
    await faults.before?.(method, args);
    if (faults.away !== null) throw faults.away;
    const operation = Reflect.get(store, method) as (...args: unknown[]) => Promise<unknown>;
    const answer = await operation.apply(store, args);
    if (faults.loseAnswers?.method === method && faults.loseAnswers.times-- > 0) {
      throw new BatonError('database_unreachable', 'the connection broke after the commit');
    }
    return answer;
  };
  const proxy: S = new Proxy(store, {
    get(target, method: string) {
      if (method === 'keepLease') {
        return (nodeId: string, options: Parameters<Store['keepLease']>[1]) =>
          keepInProcess(options, () => proxy.renew(nodeId, options.leaseMs));
      }
      const value: unknown = Reflect.get(target, method);
      if (typeof value !== 'function') return value;
      // The same connection, with a line for the audit log.
      if (method === 'audited') return (entry: unknown) => broken(value(entry), faults);
      if (DIRECT.includes(method)) return value.bind(target);
      return (...args: unknown[]) => call(method, args);
    },
  });
  return proxy;
}
