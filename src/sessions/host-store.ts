/*
 * The port for hosts: their names, and whether they share a data directory (Q23). SQLite and PostgreSQL
 * pass the same conformance suite.
 */

export interface NewHost {
  readonly id: string;
  /** The name that the host asks for. */
  readonly name: string;
  /** Whether the registering node runs agents. */
  readonly worker: boolean;
  /** The id of the data directory, if the host declares that others share it. */
  readonly dataId: string | null;
}

/** A host's id, and the name that people use for it. */
export interface HostRef {
  readonly id: string;
  /** Unique among hosts, and never another host's id. */
  readonly name: string;
}

/** A host that runs agents, or did so recently. */
export interface HostRecord extends HostRef {
  /** Whether the host has a live worker. */
  readonly alive: boolean;
}

/** Why a host may not run agents. */
export type HostRefusal =
  /** The installation shares a data directory, but the host declares none or a different one. */
  | { readonly why: 'not_shared' }
  /** These hosts have workers but do not share the directory. */
  | { readonly why: 'others'; readonly hosts: readonly string[] };

export interface HostStore {
  /**
   * Stores the host and returns its name: the name it asks for, with a number appended if another
   * host has that name. A host keeps its name until it asks for a different one or has not been
   * started for 90 days.
   */
  registerHost(host: NewHost): Promise<string>;
  /** Ordered by name. */
  listHosts(): Promise<HostRecord[]>;
  /**
   * Whether a registered host may run agents; call it after joining and before claiming. Either all
   * hosts share one data directory or none do, because any of them may run the sessions in that
   * directory, and a host without it would find their workspaces empty.
   */
  admitHost(id: string): Promise<HostRefusal | null>;
  /** Whether this installation's hosts share a data directory. */
  isDataShared(): Promise<boolean>;
}
