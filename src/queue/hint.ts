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
   * Whatever else changed, by name. Those of the queue are below; what is stored beside the queue has
   * its own (storage/topics.ts).
   */
  readonly topics: readonly string[];
  /** Hints were lost, or there were too many names: check every lane and node. Topics are always named. */
  readonly all?: boolean;
}

/** Something may be claimed: a lane became ready, or a slot free. */
export const READY = 'ready';
/** A schedule was created, changed or removed. */
export const SCHEDULES = 'schedules';

/** Calls the listener after every commit that names the topic. Returns a function to unsubscribe. */
export const onTopic = (
  store: Pick<Store, 'onHint'>,
  topic: string,
  listener: () => void,
): (() => void) =>
  store.onHint(({ topics }) => {
    if (topics.includes(topic)) listener();
  });
