import type { AccessStore } from '../../access/access-store.ts';
import { listAudit } from './access/audit.ts';
import { findCredential } from './access/credential.ts';
import { listNodeViews } from './access/reports.ts';
import { findSignIn, hasCode } from './access/sign-ins.ts';
import { findToken, getToken, listTokens } from './access/tokens.ts';
import { findUser, getUser, listUsers } from './access/users.ts';
import { listShares } from './sessions/shares.ts';
import type { StoreParts } from './store.ts';

/** The access port, built on the operations and the same for every database. */
export function accessStoreOver({
  dialect,
  call,
  read,
}: Pick<StoreParts, 'dialect' | 'call' | 'read'>): AccessStore {
  return {
    createUser: (user) => call('createUser', user),
    getUser: (id) => read(getUser(id)),
    findUser: (nameOrId) => read(findUser(nameOrId)),
    listUsers: (page) => read(listUsers(page)),
    updateUser: (id, change) => call('updateUser', id, change),
    createToken: (token) => call('createToken', token),
    getToken: (id) => read(getToken(id)),
    listTokens: (page) => read(listTokens(page)),
    revokeToken: (id) => call('revokeToken', id),
    findToken: (digest) => read(findToken(dialect, digest)),
    touchTokens: (ids) => call('touchTokens', ids),
    createCode: (code) => call('createCode', code),
    hasCode: (digest) => read(hasCode(digest)),
    signIn: (by, made) => call('signIn', by, made),
    async findSignIn(digest, idleMs) {
      const lookup = await read(findSignIn(dialect, digest, idleMs));
      // If the idle time cannot be extended now, the next request will extend it; this one still
      // succeeds.
      if (lookup?.stale === true)
        await call('touchSignIn', lookup.signIn.id, idleMs).catch(() => {});
      return lookup?.signIn ?? null;
    },
    rotateSignIn: (id, secret) => call('rotateSignIn', id, secret),
    findCredential: (credential) => read(findCredential(dialect, credential)),
    endSignIn: (id) => call('endSignIn', id),
    endSignIns: (userId) => call('endSignIns', userId),
    createTicket: (ticket) => call('createTicket', ticket),
    takeTicket: (digest) => call('takeTicket', digest),
    listShares: (sessionId) => read(listShares(sessionId)),
    putShares: (sessionId, shares) => call('putShares', sessionId, shares),
    listAudit: (filter) => read(listAudit(filter)),
    exchangeUsage: (nodeId, mine) => call('exchangeUsage', nodeId, mine),
    saveLoad: (nodeId, load) => call('saveLoad', nodeId, load),
    listNodeViews: () => read(listNodeViews(dialect)),
  };
}
