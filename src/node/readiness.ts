import type { Readiness } from '../server/routes/system.ts';
import { sharedRead } from '../server/shared-read.ts';

/** If the database has not responded after this time, it counts as not ready. */
const PATIENCE_MS = 2000;

/** If less than this is free, the next long run may fill the disk. */
const FREE_BYTES = 100 * 1024 * 1024;

/** What readiness depends on once the database is open. */
export interface NodeParts {
  /** Reads something small from the database. */
  readonly ask: () => Promise<unknown>;
  /** False if the database file was removed or replaced. */
  readonly isThere: () => boolean;
  /** The free bytes on the disks that the node writes to. */
  readonly freeBytes: () => Promise<number>;
  readonly leaseRemainingMs: () => number;
  /** How often the lease is renewed. */
  readonly renewMs: number;
}

/**
 * The response of `/readyz`. When the node is about to stop or lose its lease, it reports "not
 * ready" while requests are still served, so that a load balancer has time to choose another node.
 */
export class NodeReadiness {
  #parts: NodeParts | null = null;
  #answers: () => Promise<true | null> = async () => null;
  #freeBytes: () => Promise<number | null> = async () => null;
  #stopping = false;

  /** Called once the database is open and its schema is up to date. */
  opened(parts: NodeParts): void {
    this.#parts = parts;
    this.#answers = sharedRead(() => parts.ask().then((): true => true), PATIENCE_MS);
    this.#freeBytes = sharedRead(parts.freeBytes, PATIENCE_MS);
  }

  /** From now on the node is not ready. Safe to call twice. */
  stopping(): void {
    this.#stopping = true;
  }

  async check(): Promise<Readiness> {
    if (this.#stopping) return { node: 'stopping' };
    const parts = this.#parts;
    if (parts === null) {
      return {
        database: 'not open yet',
        migrations: 'not applied yet',
        lease: 'not taken yet',
        disk: 'not checked yet',
      };
    }
    const [answer, free] = await Promise.all([this.#answers(), this.#freeBytes()]);
    const database = parts.isThere() ? (answer ?? 'does not respond') : 'was removed or replaced';
    return { database, migrations: true, lease: leaseOf(parts), disk: diskOf(free) };
  }
}

function diskOf(freeBytes: number | null): true | string {
  if (freeBytes === null) return 'does not respond';
  return freeBytes >= FREE_BYTES || 'almost full';
}

function leaseOf({ leaseRemainingMs, renewMs }: NodeParts): true | string {
  const left = leaseRemainingMs();
  if (left <= 0) return 'not held';
  return left >= renewMs || 'about to end';
}
