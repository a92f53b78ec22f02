import { privateDirOf } from '../files/private-dir.ts';
import { type Lifeline, startLifeline } from './lifeline.ts';

export interface LifelinesOptions {
  readonly dataDir: string;
  readonly installation: string;
  readonly nodeId: () => string | null;
}

/** The lifelines of this process: one per node id, started with its first agent. */
export class Lifelines {
  readonly #options: LifelinesOptions;
  readonly #started = new Map<string, Lifeline>();

  constructor(options: LifelinesOptions) {
    this.#options = options;
  }

  /** The id of this node, which has a lifeline by now. */
  node(): string {
    const { dataDir, installation, nodeId } = this.#options;
    const node = nodeId() ?? '';
    if (!this.#started.has(node)) {
      const lifeline = startLifeline({
        installation,
        node,
        privateDir: privateDirOf(dataDir, node),
      });
      // Otherwise the next agent tries again; this one will probably not start either.
      if (lifeline !== null) this.#started.set(node, lifeline);
    }
    return node;
  }

  /** Call it after all agents have ended. */
  end(): void {
    for (const lifeline of this.#started.values()) lifeline.end();
  }
}
