import type { Json } from '../contract/json.ts';
import type { FileChange } from '../contract/session-event.ts';
import type { Files } from './files.ts';
import type { Spawn } from './process.ts';

/*
 * The port through which everything inside a workspace happens (W1): starting processes, files,
 * following links, finding programs, snapshots. Drivers and sessions use nothing else, so a workspace
 * may be on this machine, in a sandbox, in a container or on another machine. Paths are as the agent
 * sees them. `conformance/runtime.ts` is the specification.
 */
export interface Runtime {
  /** Of the workspace. */
  readonly id: string;
  /** The workspace: an absolute path without links. */
  readonly root: string;
  readonly home: string;
  /**
   * What processes see by default: an allow-list (A10), which belongs to the runtime because a container
   * has its own PATH and HOME. They see exactly this, the `env` of their start, and the variable that
   * tags their unit.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** What this runtime cannot do, each with the reason. */
  readonly lacks: Lacks;
  readonly spawn: Spawn;
  /**
   * Kills what is left of a unit, whichever node started it: two agents never work on one run (A3).
   * Resolves to the pids of processes that could not be killed.
   */
  stopLeftovers(unit: string): Promise<readonly number[]>;
  /** The workspace's files. */
  readonly files: Files;
  /** Files below another folder that belongs to the agent, such as its configuration. Links to it are followed. */
  filesIn(folder: string): Files;
  /** What a path is, without following a link in its last name. Metadata only, so it may be any path. */
  inspect(path: string): Promise<Inspected>;
  /** The path of a program; null if it is not installed. */
  find(program: string): Promise<string | null>;
  /**
   * Files for one process, which pass arguments that others must not see: every user of a machine can
   * read a command line. Only the agent's user can read them.
   */
  keepPrivate(files: Readonly<Record<string, string>>): Promise<PrivateFiles>;
  /** Never rejects; what could not be read is in the result. */
  snapshot(options?: SnapshotOptions): Promise<Snapshot>;
  /** What has changed since a snapshot, perhaps one of a process that is gone. Never rejects. */
  diff(from: unknown, options?: Pick<SnapshotOptions, 'signal'>): Promise<WorkspaceDiff>;
}

/** What not every runtime can do. Terminals are not part of the port yet. */
export type Capability = 'terminals' | 'byteNames' | 'snapshots';
export type Lacks = Readonly<Partial<Record<Capability, string>>>;

export type Inspected =
  /** It does not exist, or the agent cannot see it. */
  | { readonly kind: 'missing' | 'file' | 'folder' | 'other' }
  | { readonly kind: 'link'; readonly target: string };

export interface PrivateFiles {
  /** Where each of them is. */
  readonly paths: Readonly<Record<string, string>>;
  /** Called when the process has ended; if the node dies first, they are removed by its lifeline. */
  remove(): Promise<void>;
}

/** The state of a workspace at a moment, in a form that can be stored. `none` if it is unknown. */
export type Snapshot = { readonly kind: string } & { readonly [field: string]: Json };

export interface SnapshotOptions {
  /** Earlier snapshots of the workspace are no longer needed. */
  readonly isFirst?: boolean;
  readonly signal?: AbortSignal;
}

export interface WorkspaceDiff {
  readonly files: readonly FileChange[];
  /** For text files whose earlier content is known. */
  readonly patch?: string;
  /** There may be more changes than listed. */
  readonly truncated: boolean;
  /** Explains to people what could not be read. */
  readonly note?: string;
}
