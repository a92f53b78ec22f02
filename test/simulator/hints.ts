import { type Hint, READY } from '../../src/queue/hint.ts';
import { must } from './broken.ts';
import type { View } from './checker.ts';

/**
 * The simulated workers get no hints: all of them are dropped, and polling must suffice. But hints
 * must be sent, or every start would wait for a poll.
 */
export class Hints {
  #ready = false;
  readonly #nodes = new Set<string>();

  readonly hear = (hint: Hint): void => {
    if (hint.topics.includes(READY)) this.#ready = true;
    for (const node of hint.nodes) this.#nodes.add(node);
  };

  /** `lost`: an answer was lost since the last check, perhaps with its hints. */
  check(before: View, after: View, lost: boolean): void {
    const ready = this.#ready || lost;
    for (const lane of after.lanes.values()) {
      const known = before.lanes.get(lane.id);
      const claimable = lane.state === 'ready' && !lane.held;
      const was = known !== undefined && known.state === 'ready' && !known.held;
      must(!claimable || was || ready, 'a hint is sent for a lane to start', () => lane.id);
      const { nodeId } = lane;
      if (lost || nodeId === null || lane.cancel === null || known?.cancel !== null) continue;
      must(
        this.#nodes.has(nodeId),
        'a hint is sent for a requested cancel',
        () => `${lane.id} to ${nodeId}`,
      );
    }
    this.#ready = false;
    this.#nodes.clear();
  }
}
