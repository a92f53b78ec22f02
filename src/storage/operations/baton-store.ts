import type { AccessStore, Audited } from '../../access/access-store.ts';
import type { NewAuditEntry } from '../../access/principal.ts';
import type { Store } from '../../queue/store.ts';
import type { ApprovalStore } from '../../sessions/approvals/approval-store.ts';
import type { HostStore } from '../../sessions/host-store.ts';
import type { SteerStore } from '../../sessions/messages/steer-store.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { accessStoreOver } from './access-store.ts';
import { approvalStoreOver } from './approval-store.ts';
import { isDataShared, listHosts } from './hosts.ts';
import type { Answer, Arguments, OperationName } from './registry.ts';
import { sessionStoreOver } from './session-store.ts';
import { steerStoreOver } from './steer-store.ts';
import { type StoreParts, storeOver } from './store.ts';

export type AllStores = Store & SessionStore & ApprovalStore & SteerStore & HostStore & AccessStore;
/**
 * All the ports that a database serves; every writing call can also add its line to the audit log.
 */
export type BatonStore = AllStores & Audited<AllStores>;

export function batonStoreOver(parts: StoreParts): BatonStore {
  return {
    ...allOver(parts),
    audited: (entry) => allOver({ ...parts, call: auditedCall(parts, entry) }),
  };
}

const allOver = (parts: StoreParts): AllStores => ({
  ...storeOver(parts),
  ...sessionStoreOver(parts),
  ...approvalStoreOver(parts),
  ...steerStoreOver(parts),
  ...hostStoreOver(parts),
  ...accessStoreOver(parts),
});

const hostStoreOver = ({ dialect, call, read }: StoreParts): HostStore => ({
  registerHost: (host) => call('registerHost', host),
  listHosts: () => read(listHosts(dialect)),
  admitHost: (id) => call('admitHost', id),
  isDataShared: () => read(isDataShared()),
});

function auditedCall({ call }: StoreParts, entry: NewAuditEntry): StoreParts['call'] {
  return <N extends OperationName>(name: N, ...rest: Arguments<N>): Promise<Answer<N>> => {
    // Reading a sign-in may extend it, but that is not something a user did.
    if (name === 'touchSignIn' || name === 'audited') return call(name, ...rest);
    const inner = name as Exclude<OperationName, 'audited'>;
    return call('audited', entry, inner, rest) as Promise<Answer<N>>;
  };
}
