import type { AccessStore, Audited } from '../../access/access-store.ts';
import type { NewAuditEntry } from '../../access/principal.ts';
import type { Hint } from '../../queue/hint.ts';
import type { Store } from '../../queue/store.ts';
import type { ApprovalStore } from '../../sessions/approvals/approval-store.ts';
import type { HostStore } from '../../sessions/host-store.ts';
import type { SteerStore } from '../../sessions/messages/steer-store.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { Op } from '../statement.ts';
import type { Dialect } from './dialect.ts';
import {
  type Answer,
  type Arguments,
  DIALECT_READS,
  READS,
  WRITES,
  type WriteCall,
  type WriteName,
} from './registry.ts';

type Ports = Store & SessionStore & ApprovalStore & SteerStore & HostStore & AccessStore;
/**
 * The ports, and the operations of smaller ports. Code that takes a smaller port checks at compile
 * time that the operations match it.
 */
export type AllStores = Ports & Omit<Operations, keyof Ports>;
/**
 * All the ports that a database serves; every writing call can also add a line to the audit log.
 */
export type BatonStore = AllStores & Audited<AllStores>;

/** What each database provides: how it runs writing and reading operations. */
export interface Engine extends Pick<Store, 'keepLease' | 'close'> {
  readonly dialect: Dialect;
  readonly hints: Set<(hint: Hint) => void>;
  call<N extends WriteName>(call: WriteCall<N>): Promise<Answer<N>>;
  read<T>(op: Op<T>): Promise<T>;
}

type Result<F> = F extends (...args: never[]) => Op<infer T> ? Promise<T> : never;
type AfterFirst<F> = F extends (first: never, ...rest: infer R) => unknown ? R : never;
type Writes = { readonly [N in WriteName]: (...args: Arguments<N>) => Promise<Answer<N>> };
type Reads = {
  readonly [N in keyof typeof READS]: (
    ...args: Parameters<(typeof READS)[N]>
  ) => Result<(typeof READS)[N]>;
} & {
  readonly [N in keyof typeof DIALECT_READS]: (
    ...args: AfterFirst<(typeof DIALECT_READS)[N]>
  ) => Result<(typeof DIALECT_READS)[N]>;
};
type Operations = Writes & Reads;

/**
 * Implements the ports with one method for each operation, in the same way for every database. The
 * audited store has its own methods, which are created once, so each audited write creates only one
 * small object.
 */
export function batonStoreOver(engine: Engine): BatonStore {
  const operations = operationsOver(engine);
  const store: AllStores = { ...operations, ...beyondOperations(engine, operations) };
  const audited = Object.setPrototypeOf(auditedWrites(engine), store) as AllStores;
  return { ...store, audited: (entry) => Object.assign(Object.create(audited), { entry }) };
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type ReadOperation = (...args: readonly unknown[]) => Op<unknown>;
const WRITE_NAMES = Object.keys(WRITES) as WriteName[];

function operationsOver({ call, read, dialect }: Engine): Operations {
  const methods: Record<string, Method> = {};
  for (const name of WRITE_NAMES) methods[name] = (...args) => call({ name, args } as WriteCall);
  for (const [name, op] of Object.entries(READS) as [string, ReadOperation][])
    methods[name] = (...args) => read(op(...args));
  for (const [name, op] of Object.entries(DIALECT_READS) as [string, ReadOperation][])
    methods[name] = (...args) => read(op(dialect, ...args));
  return methods as unknown as Operations;
}

function auditedWrites({ call }: Engine): object {
  const methods: Record<string, Method> = {};
  for (const name of WRITE_NAMES) {
    methods[name] = function (this: { readonly entry: NewAuditEntry }, ...args) {
      return call({ name, args, audit: this.entry } as WriteCall);
    };
  }
  return methods;
}

/** The methods that call several operations, or none at all. */
function beyondOperations(
  { dialect, hints, read, keepLease, close }: Engine,
  operations: Operations,
): Pick<AllStores, 'takeOver' | 'findSignIn' | 'time' | 'keepLease' | 'onHint' | 'close'> {
  return {
    async takeOver(provenDead) {
      const proven = new Set(provenDead);
      const dead = new Set([...proven, ...(await operations.listExpired())]);
      const takenOver = [];
      for (const node of dead)
        takenOver.push(...(await operations.takeOverNode(node, proven.has(node))));
      return takenOver;
    },
    async findSignIn(digest, idleMs) {
      const lookup = await operations.lookUpSignIn(digest, idleMs);
      // If the idle time cannot be extended now, the next request will extend it; this one still
      // succeeds. Not audited: it is not something a user did.
      if (lookup?.stale === true)
        await operations.touchSignIn(lookup.signIn.id, idleMs).catch(() => {});
      return lookup?.signIn ?? null;
    },
    time: () => read(dialect.readTime()),
    keepLease,
    onHint(listener) {
      hints.add(listener);
      return () => hints.delete(listener);
    },
    close,
  };
}
