import { type ProcessTable, processTable } from './process-table.ts';
import { Family } from './process-tree.ts';
import { kill } from './stop/kill.ts';
import { type Mark, parseMark } from './tag.ts';

/** A process of an agent that outlived its node, and was killed. */
export interface Leftover {
  readonly pid: number;
  /** Of the mark it carried; null for what it had started without one. */
  readonly mark: Mark | null;
}

export interface Swept {
  readonly stopped: readonly Leftover[];
  /** Those whom nothing could stop, such as processes of another user. */
  readonly left: readonly Leftover[];
}

interface SweepOptions {
  readonly installation: string;
  readonly table?: ProcessTable;
  readonly withinMs?: number;
}

/**
 * At the start of a node: kills what agents of dead nodes of this installation left running on this
 * machine, with everything it started (A9). `liveNodes` are the others; `self` is always alive.
 */
export const sweepLeftovers = (
  options: SweepOptions & { readonly self: string; readonly liveNodes: ReadonlySet<string> },
): Promise<Swept> =>
  sweep(options, ({ node }) => node !== options.self && !options.liveNodes.has(node));

/**
 * Before a run is executed again: its node may be proven dead sooner than its agent has ended, and
 * two agents must never work in one conversation (A3). Whoever calls it holds the run's claim.
 */
export const sweepRun = (options: SweepOptions & { readonly run: string }): Promise<Swept> =>
  sweep(options, ({ run }) => run === options.run);

/** What the agents of one dead node left (lifeline.ts). */
export const sweepNode = (options: SweepOptions & { readonly node: string }): Promise<Swept> =>
  sweep(options, ({ node }) => node === options.node);

async function sweep(
  { installation, table = processTable(), withinMs = 5000 }: SweepOptions,
  isLeftover: (mark: Mark) => boolean,
): Promise<Swept> {
  const ours = (text: string): boolean => {
    const mark = parseMark(text);
    return mark !== null && mark.installation === installation && isLeftover(mark);
  };
  const family = new Family({ table, isOurs: ours });
  const seen = new Map<number, Leftover>();
  // Nobody is asked politely: whoever could have told them is dead, and somebody else may be
  // waiting to continue their work.
  const left = await kill(table, family, withinMs, (rows) => {
    for (const { pid } of rows) {
      const text = table.markOf(pid);
      const mark = text === null ? null : parseMark(text);
      if (!seen.has(pid)) seen.set(pid, { pid, mark });
    }
  });
  const isLeft = (leftover: Leftover): boolean => left.some(({ pid }) => pid === leftover.pid);
  const all = [...seen.values()];
  return {
    stopped: all.filter((leftover) => !isLeft(leftover)),
    left: all.filter(isLeft),
  };
}
