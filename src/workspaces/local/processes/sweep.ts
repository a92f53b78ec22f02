import { type ProcessTable, processTable } from './process-table.ts';
import { ProcessTree } from './process-tree.ts';
import { newestPids } from './stop/find-until-gone.ts';
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

/** The nodes whose agents are running on this machine, or have left something running here. */
export function findNodes({
  installation,
  table = processTable(),
}: Pick<SweepOptions, 'installation' | 'table'>): Set<string> {
  const pids = [...table.list().map(({ pid }) => pid), ...newestPids(table)];
  const tags = pids.map((pid) => parseTag(table.tagOf(pid) ?? ''));
  return new Set(tags.flatMap((tag) => (tag?.installation === installation ? tag.node : [])));
}

/**
 * Kills every process that the agents of these dead nodes left running on this machine, along with
 * everything those processes started (A9).
 */
export const sweepNodes = (
  options: SweepOptions & { readonly nodes: ReadonlySet<string> },
): Promise<Swept> => sweep(options, ({ node }) => options.nodes.has(node));

/**
 * Called before a run is executed again: the run's node may be proven dead before the run's agent
 * has exited, and two agents must never work in one conversation (A3). The caller holds the run's
 * claim.
 */
export const sweepRun = (options: SweepOptions & { readonly run: string }): Promise<Swept> =>
  sweep(options, ({ run }) => run === options.run);

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
