import type { ProcessRow, ProcessTable } from './process-table.ts';

export interface FamilyOptions {
  readonly table: ProcessTable;
  /** Who carries such a mark belongs to it. */
  readonly isOurs: (mark: string) => boolean;
  /** The process it began with, leader of a session of its own; none when leftovers are looked for. */
  readonly root?: ProcessRow;
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
    const all = table.list();
    const byPid = new Map(all.map((row) => [row.pid, row]));
    const first = root === undefined ? undefined : byPid.get(root.pid);
    if (first !== undefined && first.start !== root?.start) this.#sessionHeld = false;

    const members = new Map<number, ProcessRow>();
    for (const [pid, start] of this.#known) {
      const row = byPid.get(pid);
      if (row?.start === start && !row.ended) members.set(pid, row);
    }
    const others = this.#candidates(all, byPid);
    for (const row of others) if (this.#isMarked(row)) members.set(row.pid, row);
    const sessions = new Set<number>();
    if (root !== undefined && this.#sessionHeld) sessions.add(root.pid);
    for (let size = -1; size !== members.size; ) {
      size = members.size;
      for (const { session } of members.values()) {
        // Not one whose leader is somebody else: the mark may have been copied.
        if (members.has(session) || byPid.get(session)?.ended !== false) sessions.add(session);
      }
      for (const row of others) {
        if (members.has(row.parent) || sessions.has(row.session)) members.set(row.pid, row);
      }
    }

    this.#known.clear();
    for (const row of members.values()) this.#known.set(row.pid, row.start);
    const rows = [...members.values()];
    const gone = first === undefined;
    if (gone) this.#sessionHeld &&= rows.some((row) => row.session === root?.pid);
    const own = rows.filter((row) => sessions.has(row.session));
    return { rows, groups: new Set(own.map((row) => row.group)) };
  }

  /** Never this process, those it was started by, nor, when it looks for leftovers, its children. */
  #candidates(all: readonly ProcessRow[], byPid: ReadonlyMap<number, ProcessRow>): ProcessRow[] {
    const { root } = this.#options;
    const spared = new Set<number>();
    for (let row = byPid.get(process.pid); row !== undefined; row = byPid.get(row.parent)) {
      if (spared.has(row.pid)) break;
      spared.add(row.pid);
    }
    const under = (row: ProcessRow): boolean => {
      const seen = new Set<number>();
      for (let each = byPid.get(row.parent); each !== undefined; each = byPid.get(each.parent)) {
        if (each.pid === process.pid) return true;
        if (seen.has(each.pid)) return false;
        seen.add(each.pid);
      }
      return false;
    };
    return all.filter(
      (row) =>
        !row.ended &&
        !spared.has(row.pid) &&
        // What is older than the agent was not started by it.
        (root === undefined ? !under(row) : row.start >= root.start),
    );
  }

  #isMarked(row: ProcessRow): boolean {
    const mark = this.#options.table.markOf(row.pid);
    return mark !== null && this.#options.isOurs(mark);
  }
}
