import type { Store } from './store.ts';

/**
 * What changed, sent after the commit. Unreliable, but losing a hint costs only one polling
 * interval.
 */
export interface Hint {
  /** Lanes whose logs grew. */
  readonly lanes: readonly string[];
  /** Nodes that should poll now. */
  readonly nodes: readonly string[];
  /**
   * The topics of all other changes. The queue's own topics are defined below; storage/topics.ts
   * lists all of them.
   */
  readonly topics: readonly string[];
  /**
   * Hints were lost, or there were too many names: check every lane and node. Topics are named even
   * then.
   */
  readonly all?: boolean;
}

/** There may be something to claim: a lane became ready or a slot became free. */
export const READY = 'ready';
/** A schedule was created, changed or removed. */
export const SCHEDULES = 'schedules';

/**
 * Calls the listener after every commit that names the topic. Returns a function to unsubscribe.
 */
export const onTopic = (
  store: Pick<Store, 'onHint'>,
  topic: string,
  listener: () => void,
): (() => void) =>
  store.onHint(({ topics }) => {
    if (topics.includes(topic)) listener();
  });
