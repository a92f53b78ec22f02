import type { Hint } from '../../src/queue/store.ts';
import { must } from './broken.ts';
import type { View } from './checker.ts';

/**
 * The simulated workers hear no hints: all of them are dropped, and polling has to do. But they have
 * to be sent, or every start would wait for a poll.
 */
export class Hints {
  #ready = false;
  readonly #nodes = new Set<string>();

  readonly hear = (hint: Hint): void => {
    if (hint.ready) this.#ready = true;
    for (const node of hint.nodes) this.#nodes.add(node);
  };

  /** `lost` says that an answer was lost since the last look, and hints may have been with it. */
  check(before: View, after: View, lost: boolean): void {
    const ready = this.#ready || lost;
    for (const lane of after.lanes.values()) {
      const known = before.lanes.get(lane.id);
      const claimable = lane.state === 'ready' && !lane.held;
      const was = known !== undefined && known.state === 'ready' && !known.held;
      must(!claimable || was || ready, 'a lane to start is told', () => lane.id);
      const { nodeId } = lane;
      if (lost || nodeId === null || lane.cancel === null || known?.cancel !== null) continue;
      must(this.#nodes.has(nodeId), 'a wish to stop is told', () => `${lane.id} to ${nodeId}`);
    }
    this.#ready = false;
    this.#nodes.clear();
  }
}
