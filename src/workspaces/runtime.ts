import type { FileChange } from '../contract/session-event.ts';
import type { Json } from '../contract/values/json.ts';
import type { Files } from './files.ts';
import type { Spawn } from './process.ts';

/*
 * The port through which everything inside a workspace happens (W1): starting processes, using
 * files, following links, finding programs and taking snapshots. Drivers and sessions use nothing
 * else, so a workspace may be on this machine, in a sandbox, in a container or on another machine.
 * Paths are as the agent sees them. `conformance/runtime.ts` is the specification.
 *
 * A runtime, its files and its processes are plain objects: callers spread them to replace a member,
 * and call members unbound. Methods of a class would be lost.
 */
export interface Runtime {
  /** Of the workspace. */
  readonly id: string;
  /** The workspace: an absolute path without links. */
  readonly root: string;
  readonly home: string;
  /**
   * What processes see by default: an allow-list (A10), which belongs to the runtime because a
   * container has its own PATH and HOME. Processes see exactly these variables, the `env` they were
   * started with, and the variable that tags their unit.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** The capabilities that this runtime lacks, each with the reason. */
  readonly lacks: Lacks;
  readonly spawn: Spawn;
  /**
   * Kills what is left of a unit, whichever node started it, so that two agents never work on one
   * run (A3). Resolves to the pids of processes that could not be killed.
   */
  stopLeftovers(unit: string): Promise<readonly number[]>;
  /** The workspace's files. */
  readonly files: Files;
  /**
   * Files below another folder that belongs to the agent, such as its configuration. Links to the
   * folder are followed.
   */
  filesIn(folder: string): Files;
  /**
   * What a path is, without following a link in its last component. Reads only metadata, so any
   * path is allowed.
   */
  inspect(path: string): Promise<Inspected>;
  /** The path of a program; null if it is not installed. */
  find(program: string): Promise<string | null>;
  /**
   * Writes files for one process, to pass arguments that others must not see: every user of a
   * machine can read a command line. Only the agent's user can read these files.
   */
  keepPrivate(files: Readonly<Record<string, string>>): Promise<PrivateFiles>;
  /** Never rejects; what could not be read is in the result. */
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  /**
   * What has changed since a snapshot, up to now or to a later snapshot. Earlier processes may have
   * taken the snapshots. Never rejects.
   */
  diff(from: unknown, options?: DiffOptions): Promise<WorkspaceDiff>;
}

/** Capabilities that not every runtime has. Terminals are not part of the port yet. */
export type Capability = 'terminals' | 'byteNames' | 'snapshots';
export type Lacks = Readonly<Partial<Record<Capability, string>>>;

export type Inspected =
  /**
   * `missing` only if nothing can be there; `unknown` if the system refuses to say what is there,
   * or if it is a link whose target is not valid UTF-8.
   */
  | { readonly kind: 'missing' | 'unknown' | 'file' | 'folder' | 'other' }
  | { readonly kind: 'link'; readonly target: string };

export interface PrivateFiles {
  /** The path of each file. */
  readonly paths: Readonly<Record<string, string>>;
  /** Called when the process has exited. If the node dies first, its lifeline removes the files. */
  remove(): Promise<void>;
}

/**
 * The state of a workspace at a point in time, in a form that can be stored. The kind is `none` if
 * the state is unknown.
 */
export type Snapshot = { readonly kind: string } & { readonly [field: string]: Json };

export interface SnapshotOptions {
  /** Set if earlier snapshots of the workspace are no longer needed. */
  readonly isFirst?: boolean;
  /** If it aborts, the result is unknown. */
  readonly signal?: AbortSignal;
}

export interface DiffOptions extends Pick<SnapshotOptions, 'signal'> {
  /** A later snapshot; by default, the workspace as it is now. */
  readonly to?: unknown;
}

export interface WorkspaceDiff {
  readonly files: readonly FileChange[];
  /** Covers the text files whose earlier content is known. */
  readonly patch?: string;
  /** True if there may be more changes than listed. */
  readonly truncated: boolean;
  /** A human-readable explanation of what could not be read. */
  readonly note?: string;
}
