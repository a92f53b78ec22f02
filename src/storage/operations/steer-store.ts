import type { SteerStore } from '../../sessions/messages/steer-store.ts';
import { listSteers } from './sessions/steers/list-steers.ts';
import type { StoreParts } from './store.ts';

/**
 * The port for messages to agents at work, built on the operations and the same for every database.
 */
export function steerStoreOver({
  dialect,
  call,
  read,
}: Pick<StoreParts, 'dialect' | 'call' | 'read'>): SteerStore {
  return {
    steerMessage: (request) => call('steerMessage', request),
    listSteers: (runIds) => read(listSteers(dialect, runIds)),
    markSteer: (id, given, fence) => call('markSteer', id, given, fence),
    releaseSteers: (runId, fence) => call('releaseSteers', runId, fence),
    reconcileSteers: (limit) => call('reconcileSteers', limit),
  };
}
