import { isExempt } from './exempt-pids.ts';
import type { Moment, ProcessRow, ProcessTable } from './process-table.ts';

/** The root process of a tree, which leads its own session. */
export interface Root extends ProcessRow {
  /** A moment just before it started; absent if all processes have to be listed. */
  readonly since?: Moment | undefined;
}

export interface ProcessTreeOptions {
  readonly table: ProcessTable;
  /** Whether a process with this tag belongs to the tree. */
  readonly isOurs: (tag: string) => boolean;
  /** Absent when searching for leftovers. */
  readonly root?: Root;
}

/** The live processes, and the process groups that consist entirely of them. */
export interface Members {
  readonly rows: readonly ProcessRow[];
  readonly groups: ReadonlySet<number>;
}

/**
 * An agent and everything it started. A process belongs to the tree if its parent does, if it is in
 * one of the tree's sessions, or if it carries the tag. Once observed, a process stays a member
 * even when its parent is gone. The tree must be observed repeatedly: only a process that leaves
 * its parent, its session and its environment between two observations is missed.
 */
export class ProcessTree {
  readonly #options: ProcessTreeOptions;
  /** pid → start. */
  readonly #known = new Map<number, number>();
  /** The root's session id is its pid, which is not reused while a process is in the session. */
  #sessionHeld: boolean;

  constructor(options: ProcessTreeOptions) {
    this.#options = options;
    this.#sessionHeld = options.root !== undefined;
    if (options.root !== undefined) this.#known.set(options.root.pid, options.root.start);
  }

  /**
   * Must be called as soon as the root has exited, because later its pid may belong to another
   * process.
   */
  observe(): Members {
    const { table, root } = this.#options;
    const all = table.list(root?.since);
    const byPid = new Map(all.map((row) => [row.pid, row]));
    const first = root === undefined ? undefined : byPid.get(root.pid);
    if (first !== undefined && first.start !== root?.start) this.#sessionHeld = false;

    const members = new Map<number, ProcessRow>();
    for (const [pid, start] of this.#known) {
      const row = byPid.get(pid);
      if (row?.start === start && !row.ended) members.set(pid, row);
    }
    const sessions = this.#gather(members, all);
    this.#known.clear();
    for (const row of members.values()) this.#known.set(row.pid, row.start);
    const rows = [...members.values()];
    if (first === undefined) this.#sessionHeld &&= rows.some((row) => row.session === root?.pid);

    const groups = new Set(rows.flatMap((row) => (sessions.has(row.session) ? row.group : [])));
    for (const row of all) if (!members.has(row.pid)) groups.delete(row.group);
    return { rows, groups };
  }

  /** Whether a process carries the tag and may be killed. */
  isTagged(pid: number): boolean {
    const tag = this.#options.table.tagOf(pid);
    return tag !== null && this.#options.isOurs(tag) && !this.#isExempt(pid);
  }

  /** Adds the processes that belong to the members; returns the sessions that are theirs alone. */
  #gather(members: Map<number, ProcessRow>, all: readonly ProcessRow[]): Set<number> {
    const { table, root } = this.#options;
    // An agent cannot have started a process that is older than the agent.
    const others = all.filter((row) => !row.ended && row.start >= (root?.start ?? 0));
    for (const row of others) if (this.isTagged(row.pid)) members.set(row.pid, row);
    const sessions = new Set<number>();
    if (root !== undefined && this.#sessionHeld) sessions.add(root.pid);
    for (let size = -1; size !== members.size; ) {
      size = members.size;
      for (const { session } of members.values()) {
        // A leader in another pid namespace is reported as 0.
        if (session === 0) continue;
        // Skips the session if a live process outside the tree leads it, because the member may
        // only carry a copy of the tag.
        if (members.has(session) || table.observe(session)?.ended !== false) sessions.add(session);
      }
      for (const row of others) {
        if (members.has(row.pid)) continue;
        if (!members.has(row.parent) && !sessions.has(row.session)) continue;
        if (!this.#isExempt(row.pid)) members.set(row.pid, row);
      }
    }
    return sessions;
  }

  #isExempt(pid: number): boolean {
    return this.#options.root === undefined && isExempt(this.#options.table, pid);
  }
}
