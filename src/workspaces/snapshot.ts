import { join } from 'node:path';
import { z } from 'zod';
import { SessionId } from '../contract/session.ts';
import type { FileChange } from '../contract/session-event.ts';
import { diffTrees, takeTree } from './snapshot-git.ts';
import { compareManifest, takeManifest } from './snapshot-manifest.ts';

/*
 * What a workspace was like when an attempt began, so that what an interrupted one has done to it can
 * be told (Q16). Of a git repository it is a tree in an object store of Baton's own, which has the
 * repository's as its alternate; of others a list of files with their hashes. Nothing here throws: what cannot be seen is said.
 */

/** How long a look at a workspace may take. */
const LOOK_MS = 10_000;
/** Then nothing is waited for any more, such as a disk that does not answer. */
const END_MS = 1000;

/** Paths are bytes, one a character: names need not be UTF-8. */
const ManifestEntry = z.tuple([z.string(), z.number(), z.number(), z.number(), z.string()]);

/** As it is stored. */
export const Snapshot = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('git'),
    tree: z.string().regex(/^[0-9a-f]{40,64}$/),
    /** Files too large to be kept: path, size, time of change. */
    large: z.array(z.tuple([z.string(), z.number(), z.number()])),
  }),
  z.object({
    kind: z.literal('manifest'),
    at: z.number(),
    /** Path, size, time of change, time of the inode's change, and a hash or nothing. */
    files: z.array(ManifestEntry),
    /** Not all files were looked at. */
    truncated: z.boolean(),
  }),
  z.object({ kind: z.literal('none'), reason: z.string() }),
]);
export type Snapshot = z.infer<typeof Snapshot>;

export interface WorkspaceDiff {
  readonly files: readonly FileChange[];
  /** Of text, where the contents of before are known. */
  readonly patch?: string;
  /** There may be more than is told. */
  readonly truncated: boolean;
  /** What could not be seen, for people. */
  readonly note?: string;
}

export interface LookOptions {
  /** Where what must be kept of files is written, and nowhere else. */
  readonly keep: string;
  /** No earlier snapshot that is kept there is needed any more. */
  readonly isFirst?: boolean;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Where the snapshots of a session are kept. */
export const snapshotDirOf = (dataDir: string, sessionId: string): string =>
  join(dataDir, 'snapshots', SessionId.parse(sessionId));

export async function takeSnapshot(path: string, options: LookOptions): Promise<Snapshot> {
  const signal = within(options);
  try {
    return await bounded(signal, look(path, options, signal));
  } catch (error) {
    return { kind: 'none', reason: reasonOf(error) };
  }
}

const look = async (path: string, options: LookOptions, signal: AbortSignal): Promise<Snapshot> =>
  (await takeTree(path, options, signal)) ?? takeManifest(path, signal);

/** `stored` is what `takeSnapshot` gave, perhaps to a process that is gone. */
export async function diffSince(
  path: string,
  stored: unknown,
  options: LookOptions,
): Promise<WorkspaceDiff> {
  const parsed = Snapshot.safeParse(stored);
  if (!parsed.success) return unseen('What it was like before is not known.');
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
}: Pick<LookOptions, 'signal' | 'timeoutMs'>): AbortSignal => {
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
  if (name === 'TimeoutError') return 'The workspace could not be looked at in time.';
  return code === undefined ? message : `The workspace could not be looked at: ${code}.`;
};
