/*
 * The port for hosts: their names, and whether they share a data directory (Q23). SQLite and PostgreSQL
 * pass the same conformance suite.
 */

export interface NewHost {
  readonly id: string;
  /** The name it asks for. */
  readonly name: string;
  /** Whether the registering node runs agents. */
  readonly worker: boolean;
  /** The id of the data directory, if the host declares that others share it. */
  readonly dataId: string | null;
}

/** A host, and what people call it. */
export interface HostRef {
  readonly id: string;
  /** Unique among hosts, and never the id of another. */
  readonly name: string;
}

/** A host that runs agents, or did so recently. */
export interface HostRecord extends HostRef {
  /** It has a live worker. */
  readonly alive: boolean;
}

/** Why a host may not run agents. */
export type HostRefusal =
  /** The installation shares a data directory, and the host declares none or another. */
  | { readonly why: 'not_shared' }
  /** Workers run on these hosts, which do not share the directory. */
  | { readonly why: 'others'; readonly hosts: readonly string[] };

export interface HostStore {
  /**
   * Stores the host and returns its name: the one it asks for, or that with a number if another host
   * has it. It keeps its name until it asks for another one, or is not started for 90 days.
   */
  registerHost(host: NewHost): Promise<string>;
  /** Ordered by name. */
  listHosts(): Promise<HostRecord[]>;
  /**
   * Whether a registered host may run agents; call it after joining and before claiming. All hosts
   * share one data directory or none does: any of them may run the sessions in that directory, and a
   * host without it would find their workspaces empty.
   */
  admitHost(id: string): Promise<HostRefusal | null>;
  /** Whether the hosts of this installation share a data directory. */
  isDataShared(): Promise<boolean>;
}
