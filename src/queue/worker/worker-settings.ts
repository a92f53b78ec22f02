import { LEASE_SECONDS, renewMsOf } from '../../contract/lease.ts';
import type { NodeInfo } from '../../contract/node.ts';
import type { Handlers } from '../handlers.ts';
import type { Logger } from '../logger.ts';
import { identify, type ProcessIdentity } from '../membership/process-identity.ts';
import type { RunQueue } from '../run-queue.ts';
import type { Caps, Clock, Store } from '../store.ts';
import type { AttemptEnd } from './attempt-log.ts';

export interface WorkerOptions {
  /** Number of runs executed at a time. */
  readonly concurrency?: number;
  /** How many runs of a type, or of an owner, may execute at once in the whole cluster. */
  readonly caps?: Partial<Caps>;
  /** The host's id; by default derived from the machine. */
  readonly host?: string;
  /** The host id belongs to one machine, so do not start while another machine uses it. */
  readonly oneMachine?: boolean;
  /**
   * Called after joining and before the first claim. Returns why this worker must not claim
   * anything, or null; `start` throws that error.
   */
  readonly admit?: () => Promise<Error | null>;
  readonly roles?: NodeInfo['roles'];
  readonly version?: string;
  /** Where other nodes reach this one; null if unknown. */
  readonly url?: string | null;
  readonly leaseMs?: number;
  readonly renewMs?: number;
  /** How long the main thread may block before the lease is given up. */
  readonly stallMs?: number;
  readonly pollMs?: number;
  /** How long running handlers may continue when the worker stops. */
  readonly graceMs?: number;
  /** How long a handler may take to return after its signal was aborted before it is reported. */
  readonly returnMs?: number;
  /** How often to check for queued types and hosts without a live node. */
  readonly typesMs?: number;
  /** The number of unwritten event bytes at which handlers must wait. */
  readonly bufferBytes?: number;
  /** Called when an attempt has ended, for metrics. Must not throw. */
  readonly onAttempt?: (end: AttemptEnd) => void;
  /** Called when the installation is stopped or resumed. Must not throw. */
  readonly onStopped?: (stopped: boolean) => void;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The options with all defaults filled in. */
export interface Settings extends Required<Omit<WorkerOptions, 'caps' | 'host'>> {
  readonly store: Store;
  readonly handlers: Handlers;
  readonly identity: ProcessIdentity;
  readonly caps: Caps;
}

export function settingsOf(queue: RunQueue, options: WorkerOptions): Settings {
  const { caps, host, ...given } = options;
  const leaseMs = options.leaseMs ?? LEASE_SECONDS * 1000;
  const settings: Settings = {
    concurrency: 10,
    oneMachine: false,
    admit: async () => null,
    roles: ['worker'],
    version: '',
    url: null,
    leaseMs,
    renewMs: renewMsOf(leaseMs),
    stallMs: 60_000,
    graceMs: 30_000,
    returnMs: 5000,
    // A dead node is noticed when its lease expires, not sooner.
    typesMs: Math.min(30_000, leaseMs),
    bufferBytes: 8 * 1024 * 1024,
    onAttempt: () => {},
    onStopped: () => {},
    log: queue.log,
    clock: Date.now,
    random: Math.random,
    ...given,
    store: queue.store,
    handlers: queue.handlers,
    // Polls often enough to notice the end of a short lease.
    pollMs: Math.min(options.pollMs ?? 250, leaseMs / 10),
    identity: identify(host),
    caps: { types: caps?.types ?? {}, perOwner: caps?.perOwner ?? null },
  };
  for (const name of ['concurrency', 'leaseMs', 'renewMs', 'pollMs', 'bufferBytes'] as const) {
    if (!(settings[name] > 0)) throw new RangeError(`${name} must be more than 0`);
  }
  if (settings.renewMs >= leaseMs) throw new RangeError('renewMs must be less than leaseMs');
  return settings;
}
