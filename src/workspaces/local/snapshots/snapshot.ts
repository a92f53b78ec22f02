import { join } from 'node:path';
import { z } from 'zod';
import { SessionId } from '../../../contract/session.ts';
import type {
  DiffOptions,
  SnapshotOptions as RuntimeOptions,
  WorkspaceDiff,
} from '../../runtime.ts';
import { diffTrees } from './diff-trees.ts';
import { takeTree } from './snapshot-git.ts';

/*
 * The state of a workspace when an attempt started, to find out what an interrupted attempt changed
 * (Q16): a git tree in Baton's own object store, with the objects of the repository around the
 * workspace, if there is one, as its alternate. Nothing here throws: the result says what could not
 * be read.
 */

/** How long reading a workspace may take. */
const READ_MS = 10_000;
/** How long to wait beyond the time limit for a disk that does not respond. */
const END_MS = 1000;

/** The stored form. */
export const Snapshot = z.discriminatedUnion('kind', [
  z.object({
    /**
     * For `git`, the tree contains the repository's whole working tree; for `folder`, the plain
     * folder.
     */
    kind: z.enum(['git', 'folder']),
    tree: z.string().regex(/^[0-9a-f]{40,64}$/),
    /**
     * Each file that is too large to keep: its path (one character per byte), size and modification
     * time.
     */
    large: z.array(z.tuple([z.string(), z.number(), z.number()])),
    at: z.number(),
    /** Whether some files are missing from the snapshot. */
    truncated: z.boolean(),
  }),
  z.object({ kind: z.literal('none'), reason: z.string() }),
]);
export type Snapshot = z.infer<typeof Snapshot>;
export type TreeSnapshot = Exclude<Snapshot, { kind: 'none' }>;

export interface SnapshotOptions extends RuntimeOptions {
  /** The only directory to which file contents are written. */
  readonly keep: string;
  readonly timeoutMs?: number;
  /** How many entries to visit in a plain folder. */
  readonly entries?: number;
}

/** Where a session's snapshots are stored. */
export const snapshotDirOf = (dataDir: string, sessionId: string): string =>
  join(dataDir, 'snapshots', SessionId.parse(sessionId));

export async function takeSnapshot(path: string, options: SnapshotOptions): Promise<Snapshot> {
  const limits = limitsOf(options);
  try {
    return await bounded(limits.signal, takeTree(path, options, limits));
  } catch (error) {
    return { kind: 'none', reason: reasonOf(error) };
  }
}

/** `stored` comes from `takeSnapshot`, perhaps in an earlier process. */
export async function diffSince(
  path: string,
  stored: unknown,
  options: SnapshotOptions & DiffOptions,
): Promise<WorkspaceDiff> {
  const before = parse(stored, 'The earlier state is unknown.');
  if (before.kind === 'none') return unseen(before.reason);
  const after = options.to === undefined ? null : parse(options.to, 'The later state is unknown.');
  if (after?.kind === 'none') return unseen(after.reason);
  const limits = limitsOf(options);
  try {
    return await bounded(limits.signal, diffTrees(path, before, after, options.keep, limits));
  } catch (error) {
    return unseen(reasonOf(error));
  }
}

function limitsOf({ signal, timeoutMs = READ_MS, entries }: SnapshotOptions) {
  const timeout = AbortSignal.timeout(timeoutMs);
  return {
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    timeoutMs,
    entries,
  };
}

async function bounded<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    timer = setTimeout(() => reject(signal.reason), END_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

const parse = (stored: unknown, otherwise: string): Snapshot =>
  Snapshot.safeParse(stored).data ?? { kind: 'none', reason: otherwise };

const unseen = (note: string): WorkspaceDiff => ({ files: [], truncated: true, note });

const reasonOf = (error: unknown): string => {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'The workspace could not be read in time.';
  return code === undefined ? message : `The workspace could not be read: ${code}.`;
};
