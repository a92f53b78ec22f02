import { type ProcessTable, processTable } from './process-table.ts';
import { ProcessTree } from './process-tree.ts';
import { kill } from './stop/kill.ts';
import { parseTag, type Tag } from './tag.ts';

/** An agent's process that outlived its node and was killed. */
export interface Leftover {
  readonly pid: number;
  /** The tag it carried; null for a descendant without one. */
  readonly tag: Tag | null;
}

export interface Swept {
  readonly stopped: readonly Leftover[];
  /** Processes that nothing could stop, such as another user's. */
  readonly left: readonly Leftover[];
}

interface SweepOptions {
  readonly installation: string;
  readonly table?: ProcessTable;
  readonly withinMs?: number;
}

/**
 * Called when a node starts: kills every process that agents of this installation's dead nodes left
 * running on this machine, along with everything those processes started (A9). `liveNodes` are the
 * other live nodes.
 */
export const sweepLeftovers = (
  options: SweepOptions & { readonly self: string; readonly liveNodes: ReadonlySet<string> },
): Promise<Swept> =>
  sweep(options, ({ node }) => node !== options.self && !options.liveNodes.has(node));

/**
 * Called before a run is executed again: the run's node may be proven dead before the run's agent
 * has exited, and two agents must never work in one conversation (A3). The caller holds the run's
 * claim.
 */
export const sweepRun = (options: SweepOptions & { readonly run: string }): Promise<Swept> =>
  sweep(options, ({ run }) => run === options.run);

/** Kills everything that one dead node's agents left behind (lifeline.ts). */
export const sweepNode = (options: SweepOptions & { readonly node: string }): Promise<Swept> =>
  sweep(options, ({ node }) => node === options.node);

async function sweep(
  { installation, table = processTable(), withinMs = 5000 }: SweepOptions,
  isLeftover: (tag: Tag) => boolean,
): Promise<Swept> {
  const ours = (text: string): boolean => {
    const tag = parseTag(text);
    return tag !== null && tag.installation === installation && isLeftover(tag);
  };
  const tree = new ProcessTree({ table, isOurs: ours });
  const seen = new Map<number, Leftover>();
  // There is no grace period: the node that could have asked them to stop is dead, and another node
  // may be waiting to continue their work.
  const left = await kill(table, tree, withinMs, (rows) => {
    for (const { pid } of rows) {
      const text = table.tagOf(pid);
      const tag = text === null ? null : parseTag(text);
      if (!seen.has(pid)) seen.set(pid, { pid, tag });
    }
  });
  const isLeft = (leftover: Leftover): boolean => left.some(({ pid }) => pid === leftover.pid);
  const all = [...seen.values()];
  return {
    stopped: all.filter((leftover) => !isLeft(leftover)),
    left: all.filter(isLeft),
  };
}
