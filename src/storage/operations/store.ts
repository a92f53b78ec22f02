import type { Hint } from '../../queue/hint.ts';
import type { Store } from '../../queue/store.ts';
import type { Op } from '../statement.ts';
import type { Dialect } from './dialect.ts';
import { readRun } from './load.ts';
import { listExpired, poll } from './nodes.ts';
import * as reads from './queue-reads.ts';
import type { Answer, Arguments, OperationName } from './registry.ts';
import { dueSchedules, getSchedule, listSchedules } from './schedules.ts';
import { getStop } from './stop.ts';

/** What each database provides: how it runs writing and reading operations. */
export interface StoreParts extends Pick<Store, 'keepLease' | 'close'> {
  readonly dialect: Dialect;
  readonly hints: Set<(hint: Hint) => void>;
  call<N extends OperationName>(name: N, ...rest: Arguments<N>): Promise<Answer<N>>;
  read<T>(op: Op<T>): Promise<T>;
}

/** The store port, built on the operations and the same for every database. */
export function storeOver({ dialect, hints, call, read, keepLease, close }: StoreParts): Store {
  return {
    enqueue: (admissions) => call('enqueue', admissions),
    claim: (request) => call('claim', request),
    write: (writes) => call('write', writes),
    change: (command) => call('change', command),
    purge: (request) => call('purge', request),
    join: (node, leaseMs) => call('join', node, leaseMs),
    renew: (nodeId, leaseMs) => call('renew', nodeId, leaseMs),
    leave: (nodeId) => call('leave', nodeId),
    async takeOver(provenDead) {
      const proven = new Set(provenDead);
      const dead = new Set([...proven, ...(await read(listExpired(dialect)))]);
      const takenOver = [];
      for (const node of dead) takenOver.push(...(await call('takeOver', node, proven.has(node))));
      return takenOver;
    },
    keepLease,
    get: (id) => read(readRun(id)),
    getLane: (id) => read(reads.getLane(id)),
    list: (filter) => read(reads.list(dialect, filter)),
    listQueued: (lane, limit, after) => read(reads.listQueued(lane, limit, after)),
    counts: () => read(reads.counts()),
    listAfter: (lane, after, limit, runId) => read(reads.listAfter(lane, after, limit, runId)),
    listAfterEach: (cursors) => read(reads.listAfterEach(dialect, cursors)),
    lastSeqs: (lanes) => read(reads.lastSeqs(dialect, lanes)),
    listNodes: () => read(reads.listNodes()),
    poll: (nodeId) => read(poll(dialect, nodeId)),
    unhandledTypes: () => read(reads.unhandledTypes(dialect)),
    strandedHosts: () => read(reads.strandedHosts(dialect)),
    putSchedule: (schedule, expected) => call('putSchedule', schedule, expected),
    removeSchedule: (id) => call('removeSchedule', id),
    fireSchedule: (firing) => call('fireSchedule', firing),
    getSchedule: (id) => read(getSchedule(id)),
    listSchedules: (filter) => read(listSchedules(filter)),
    dueSchedules: (page) => read(dueSchedules(dialect, page)),
    getStop: () => read(getStop()),
    setStop: (stop) => call('setStop', stop),
    time: () => read(dialect.readTime()),
    onHint(listener) {
      hints.add(listener);
      return () => hints.delete(listener);
    },
    close,
  };
}
