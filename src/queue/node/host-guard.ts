import { setTimeout as delay } from 'node:timers/promises';
import type { NodeRecord } from '../../contract/node.ts';
import type { Store } from '../store.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface HostGuardOptions {
  readonly store: Pick<Store, 'listNodes' | 'time'>;
  readonly self: ProcessIdentity;
  readonly everyMs: number;
  readonly stopping: () => boolean;
  /** A node of another machine has a lease under our id, and may be about to lose it. */
  readonly onWaiting: (node: NodeRecord) => void;
}

/**
 * Waits until no other machine has our host id, and answers null; or answers a node of another
 * machine that is alive, which is proof that the id was copied (Q23).
 *
 * The boot id tells machines apart: all processes of a kernel share it, in containers as well, and a
 * reboot changes it. So a live lease under another boot id is either what a machine left behind that
 * was rebooted or replaced, and runs out, or it is renewed, and then that machine lives beside ours.
 * Asked by a node that has joined and claimed nothing: of two that start at once, one sees the other.
 */
export async function findOtherMachine(options: HostGuardOptions): Promise<NodeRecord | null> {
  const { store, everyMs, stopping, onWaiting } = options;
  const firstSeen = new Map<string, NodeRecord>();
  while (!stopping()) {
    const now = await store.time();
    const others = (await store.listNodes()).filter(
      (node) => node.leaseUntil > now && isOtherMachine(node, options.self),
    );
    // One that is gone before its lease has ended left in an orderly way: it was alive, and may come back.
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

/** Where the system names no boot nothing can be said. */
const isOtherMachine = (node: NodeRecord, self: ProcessIdentity): boolean =>
  node.host === self.host &&
  node.bootId !== '' &&
  self.bootId !== '' &&
  node.bootId !== self.bootId;
