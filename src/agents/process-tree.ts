import { isSpared } from './exempt-pids.ts';
import type { Moment, ProcessRow, ProcessTable } from './process-table.ts';

/** The process a family began with, leader of a session of its own, and a moment before it. */
export interface Root extends ProcessRow {
  readonly since: Moment;
}

export interface FamilyOptions {
  readonly table: ProcessTable;
  /** Who carries such a mark belongs to it. */
  readonly isOurs: (mark: string) => boolean;
  /** None when leftovers are looked for. */
  readonly root?: Root;
}

/** Those alive, and the groups that hold nobody else. */
export interface Members {
  readonly rows: readonly ProcessRow[];
  readonly groups: ReadonlySet<number>;
}

/**
 * An agent and everything it started. A process belongs to it if its parent does, if it lies in one
 * of its sessions, or if it carries the mark; and once it was seen it stays, also when its parent
 * is gone. To be asked repeatedly: only what left its parent, its session and its environment
 * behind between two looks is missed.
 */
export class Family {
  readonly #options: FamilyOptions;
  /** pid → start. */
  readonly #known = new Map<number, number>();
  /** The number of the root's session is its pid, which stays ours while somebody is in it. */
  #sessionHeld: boolean;

  constructor(options: FamilyOptions) {
    this.#options = options;
    this.#sessionHeld = options.root !== undefined;
    if (options.root !== undefined) this.#known.set(options.root.pid, options.root.start);
  }

  /** Once the root has ended, the first look must come at once: later its pid may be another's. */
  look(): Members {
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

  /** Carries the mark, and may be killed for it. */
  isMarked(pid: number): boolean {
    const mark = this.#options.table.markOf(pid);
    return mark !== null && this.#options.isOurs(mark) && !this.#isSpared(pid);
  }

  /** Adds to the members those who belong to them; gives the sessions that are theirs alone. */
  #gather(members: Map<number, ProcessRow>, all: readonly ProcessRow[]): Set<number> {
    const { table, root } = this.#options;
    // What is older than the agent was not started by it.
    const others = all.filter((row) => !row.ended && row.start >= (root?.start ?? 0));
    for (const row of others) if (this.isMarked(row.pid)) members.set(row.pid, row);
    const sessions = new Set<number>();
    if (root !== undefined && this.#sessionHeld) sessions.add(root.pid);
    for (let size = -1; size !== members.size; ) {
      size = members.size;
      for (const { session } of members.values()) {
        // A leader in another pid namespace shows as 0.
        if (session === 0) continue;
        // Not one whose leader is somebody else: the mark may have been copied.
        if (members.has(session) || table.look(session)?.ended !== false) sessions.add(session);
      }
      for (const row of others) {
        if (members.has(row.pid)) continue;
        if (!members.has(row.parent) && !sessions.has(row.session)) continue;
        if (!this.#isSpared(row.pid)) members.set(row.pid, row);
      }
    }
    return sessions;
  }

  #isSpared(pid: number): boolean {
    return this.#options.root === undefined && isSpared(this.#options.table, pid);
  }
}
