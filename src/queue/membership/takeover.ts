import type { NodeRecord } from '../../contract/node.ts';
import type { Logger } from '../logger.ts';
import type { NodeStore, Poll, TakenOverRun } from '../store.ts';
import { isProvablyDead, type ProcessIdentity } from './process-identity.ts';

/**
 * Takes over the runs of dead nodes (Q7): immediately if the process is proven dead on this
 * machine, otherwise when the lease has expired.
 */
export class Takeover {
  readonly #store: Pick<NodeStore, 'takeOver'>;
  readonly #self: ProcessIdentity;
  readonly #log: Logger;
  readonly #isDead: (node: NodeRecord, self: ProcessIdentity) => boolean;

  constructor(
    store: Pick<NodeStore, 'takeOver'>,
    self: ProcessIdentity,
    log: Logger,
    isDead: (node: NodeRecord, self: ProcessIdentity) => boolean = isProvablyDead,
  ) {
    this.#store = store;
    this.#self = self;
    this.#log = log;
    this.#isDead = isDead;
  }

  async pass(nodes: Poll['nodes']): Promise<readonly TakenOverRun[]> {
    const proven = nodes.filter((node) => !node.expired && this.#isDead(node, this.#self));
    if (proven.length === 0 && !nodes.some((node) => node.expired)) return [];
    const takenOver = await this.#store.takeOver(proven.map((node) => node.id));
    for (const node of proven) {
      this.#log.warn({ node: node.id, pid: node.pid }, 'A node on this host is dead');
    }
    for (const { run, lane, node, state, crashes } of takenOver) {
      this.#log.warn({ runId: run, lane, node, state, crashes }, 'TakenOver');
      if (state === 'dead') this.#log.error({ runId: run, lane, crashes }, 'Dead');
    }
    return takenOver;
  }
}
