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
   * Called if a node on another machine has a lease under our host id, which may be about to
   * expire.
   */
  readonly onWaiting: (node: NodeRecord) => void;
}

/**
 * Returns null once no other machine has our host id. Otherwise returns a live node on another
 * machine, which proves that the id was copied (Q23).
 *
 * The boot id distinguishes machines: all processes of a kernel share it, even in containers, and a
 * reboot changes it. So a live lease under another boot id was either left behind by a machine that
 * was rebooted or replaced, in which case it expires, or it is renewed, in which case another
 * machine is alive. Called by a node that has joined but claimed nothing, so if two start together,
 * one sees the other.
 */
export async function findOtherMachine(options: HostGuardOptions): Promise<NodeRecord | null> {
  const { store, everyMs, stopping, onWaiting } = options;
  const firstSeen = new Map<string, NodeRecord>();
  while (!stopping()) {
    const now = await store.time();
    const others = (await store.listNodes()).filter(
      (node) => node.leaseUntil > now && isOtherMachine(node, options.self),
    );
    // A node that disappeared before its lease expired has left properly: it was alive, and may return.
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
