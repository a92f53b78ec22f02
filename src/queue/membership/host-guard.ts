import { setTimeout as delay } from 'node:timers/promises';
import type { NodeRecord } from '../../contract/node.ts';
import type { Store } from '../store.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface HostGuardOptions {
  readonly store: Pick<Store, 'listNodes' | 'time'>;
  readonly self: ProcessIdentity;
  readonly everyMs: number;
  readonly stopping: () => boolean;
  /**
   * Called if a node on another machine has a lease under our host id; that lease may be about to
   * expire.
   */
  readonly onWaiting: (node: NodeRecord) => void;
}

/**
 * Returns null once no other machine has our host id. Otherwise returns a live node on another
 * machine, which proves that the id was copied (Q23).
 *
 * The boot id distinguishes machines: all processes that run under one kernel share it, even in
 * containers, and a reboot changes it. So if there is a live lease under another boot id, either a
 * machine that was rebooted or replaced left it behind, and it expires, or another machine is alive
 * and renews it. Called by a node that has joined but claimed nothing, so if two nodes start
 * together, one sees the other.
 */
export async function findOtherMachine(options: HostGuardOptions): Promise<NodeRecord | null> {
  const { store, everyMs, stopping, onWaiting } = options;
  const firstSeen = new Map<string, NodeRecord>();
  while (!stopping()) {
    const now = await store.time();
    const others = (await store.listNodes()).filter(
      (node) => node.leaseUntil > now && isOtherMachine(node, options.self),
    );
    // If a node disappeared before its lease expired, it left in an orderly way, so it was alive
    // and may return.
    const seen = new Set(others.map(({ id }) => id));
    const left = [...firstSeen.values()].find(
      (node) => !seen.has(node.id) && node.leaseUntil > now,
    );
    if (left !== undefined) return left;
    if (others.length === 0) return null;
    for (const node of others) {
      const before = firstSeen.get(node.id);
      if (before !== undefined && node.leaseUntil > before.leaseUntil) return node;
      if (firstSeen.size === 0) onWaiting(node);
      if (before === undefined) firstSeen.set(node.id, node);
    }
    await delay(everyMs);
  }
  return null;
}

/** Without boot ids, machines cannot be distinguished. */
const isOtherMachine = (node: NodeRecord, self: ProcessIdentity): boolean =>
  node.host === self.host &&
  node.bootId !== '' &&
  self.bootId !== '' &&
  node.bootId !== self.bootId;
