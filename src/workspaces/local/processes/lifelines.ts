import { privateDirOf } from '../files/private-dir.ts';
import { type Lifeline, startLifeline } from './lifeline.ts';

export interface LifelinesOptions {
  readonly dataDir: string;
  readonly installation: string;
  readonly nodeId: () => string | null;
}

/** This process's lifelines: one per node id, started along with that node's first agent. */
export class Lifelines {
  readonly #options: LifelinesOptions;
  readonly #started = new Map<string, Lifeline>();

  constructor(options: LifelinesOptions) {
    this.#options = options;
  }

  /** Returns this node's id, after starting its lifeline if it has none. */
  node(): string {
    const { dataDir, installation, nodeId } = this.#options;
    const node = nodeId() ?? '';
    if (!this.#started.has(node)) {
      const lifeline = startLifeline({
        installation,
        node,
        privateDir: privateDirOf(dataDir, node),
      });
      // If the lifeline could not be started, the next agent tries again; this agent will probably
      // not start either.
      if (lifeline !== null) this.#started.set(node, lifeline);
    }
    return node;
  }

  /** Must be called after all agents have exited. */
  end(): void {
    for (const lifeline of this.#started.values()) lifeline.end();
  }
}
