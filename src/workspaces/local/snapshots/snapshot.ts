import { join } from 'node:path';
import { z } from 'zod';
import { SessionId } from '../../../contract/session.ts';
import type { SnapshotOptions as RuntimeOptions, WorkspaceDiff } from '../../runtime.ts';
import { diffTrees, takeTree } from './snapshot-git.ts';
import { compareManifest, takeManifest } from './snapshot-manifest.ts';

/*
 * The state of a workspace when an attempt started, to find out what an interrupted attempt changed
 * (Q16). For a git repository, it is a tree in Baton's own object store, with the repository's as
 * its alternate; otherwise, it is a list of files with hashes. Nothing here throws: the result says
 * what could not be read.
 */

/** How long reading a workspace may take. */
const LOOK_MS = 10_000;
/** After this, it stops waiting even for a disk that does not answer. */
const END_MS = 1000;

/** One character per byte, because names need not be UTF-8. */
const ManifestEntry = z.tuple([z.string(), z.number(), z.number(), z.number(), z.string()]);

/** The stored form. */
export const Snapshot = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('git'),
    tree: z.string().regex(/^[0-9a-f]{40,64}$/),
    /** Files too large to keep: path, size, modification time. */
    large: z.array(z.tuple([z.string(), z.number(), z.number()])),
  }),
  z.object({
    kind: z.literal('manifest'),
    at: z.number(),
    /** Path, size, modification time, inode change time, and a hash or nothing. */
    files: z.array(ManifestEntry),
    /** Some files were skipped. */
    truncated: z.boolean(),
  }),
  z.object({ kind: z.literal('none'), reason: z.string() }),
]);
export type Snapshot = z.infer<typeof Snapshot>;

export interface SnapshotOptions extends RuntimeOptions {
  /** The only place where file contents are written. */
  readonly keep: string;
  readonly timeoutMs?: number;
}

/** Where a session's snapshots are stored. */
export const snapshotDirOf = (dataDir: string, sessionId: string): string =>
  join(dataDir, 'snapshots', SessionId.parse(sessionId));

export async function takeSnapshot(path: string, options: SnapshotOptions): Promise<Snapshot> {
  const signal = within(options);
  try {
    return await bounded(signal, take(path, options, signal));
  } catch (error) {
    return { kind: 'none', reason: reasonOf(error) };
  }
}

const take = async (
  path: string,
  options: SnapshotOptions,
  signal: AbortSignal,
): Promise<Snapshot> => (await takeTree(path, options, signal)) ?? takeManifest(path, signal);

/** `stored` comes from `takeSnapshot`, perhaps in a process that is gone. */
export async function diffSince(
  path: string,
  stored: unknown,
  options: SnapshotOptions,
): Promise<WorkspaceDiff> {
  const parsed = Snapshot.safeParse(stored);
  if (!parsed.success) return unseen('The earlier state is unknown.');
  const { data: before } = parsed;
  if (before.kind === 'none') return unseen(before.reason);
  const signal = within(options);
  try {
    return await bounded(
      signal,
      before.kind === 'git'
        ? diffTrees(path, before, options.keep, signal)
        : compareManifest(path, before, signal),
    );
  } catch (error) {
    return unseen(reasonOf(error));
  }
}

const within = ({
  signal,
  timeoutMs = LOOK_MS,
}: Pick<SnapshotOptions, 'signal' | 'timeoutMs'>): AbortSignal => {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
};

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

const unseen = (note: string): WorkspaceDiff => ({ files: [], truncated: true, note });

const reasonOf = (error: unknown): string => {
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'The workspace could not be read in time.';
  return code === undefined ? message : `The workspace could not be read: ${code}.`;
};
