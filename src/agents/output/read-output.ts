import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveWay, PIECE } from '../../queue/give-way.ts';
import type { Process } from '../../workspaces/process.ts';
import { Decoder } from './decoder.ts';

export interface OutputOptions {
  /** How long pipes may stay open after the process exits, because a child may still be writing. */
  readonly lingerMs: number;
  readonly pieceBytes: number;
}

/** More than the pipes and their buffers can hold. */
const LEFT_BYTES = 2 * 1024 * 1024;
/** What is left in a pipe arrives within a few turns of the event loop, even on a busy node. */
const LEFT_WAITS = 4;

export interface Piece {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/**
 * Yields what a process writes, no faster than it is consumed: unread output stays in the pipe, and
 * a full pipe makes the process wait. Ends when both pipes end. A background process may hold the
 * pipes open forever, so the rest of the tree is stopped after the process exits. Anything that
 * still writes then cannot be stopped, so the pipes are read only as far as needed for what was in
 * them.
 */
export async function* readOutput(
  process: Pick<Process, 'stdout' | 'stderr' | 'exited' | 'stop'>,
  { lingerMs, pieceBytes }: OutputOptions,
): AsyncGenerator<Piece> {
  const sources = (['stdout', 'stderr'] as const).map((name) => ({
    name,
    readable: process[name],
    decoder: new Decoder(),
  }));
  let wake = (): void => {};
  for (const { readable } of sources) {
    for (const event of ['readable', 'end', 'close']) readable.on(event, () => wake());
  }
  const over = new AbortController();
  let stopped = false;
  let given = 0;
  /** What has been read and waited for since everything was stopped. */
  const since = { bytes: 0, waitedMs: 0 };
  // Outside the loop, because a consumer that reads nothing must not keep leftovers alive.
  const afterwards = async (): Promise<void> => {
    await process.exited;
    await sleep(lingerMs, undefined, { signal: over.signal });
    await process.stop();
    stopped = true;
    wake();
  };
  void afterwards().catch(() => {});

  try {
    for (;;) {
      const changed = new Promise<true>((resolve) => {
        wake = () => resolve(true);
      });
      let isAny = false;
      for (const { name, readable, decoder } of sources) {
        for (const bytes of takeAll(readable, pieceBytes)) {
          isAny = true;
          const text = decoder.push(bytes);
          if (text !== '') yield { stream: name, text };
          // A pipe that is always full would otherwise be read for seconds in a row.
          given += bytes.length;
          if (stopped) since.bytes += bytes.length;
          if (given < PIECE) continue;
          given = 0;
          await giveWay('agents');
        }
      }
      if (since.bytes > LEFT_BYTES || since.waitedMs > LEFT_WAITS * lingerMs) break;
      if (isAny) continue;
      if (sources.every(({ readable }) => hasEnded(readable))) break;
      const wasStopped = stopped;
      const waitingSince = performance.now();
      const silent = stopped ? sleep(lingerMs, false, { signal: over.signal }) : changed;
      if (!(await Promise.race([changed, silent]))) break;
      if (wasStopped) since.waitedMs += performance.now() - waitingSince;
    }
    for (const { name, decoder } of sources) {
      const text = decoder.end();
      if (text !== '') yield { stream: name, text };
    }
  } finally {
    over.abort();
    for (const { readable } of sources) readable.destroy();
  }
}

const hasEnded = (readable: Readable): boolean => readable.readableEnded || readable.destroyed;

function* takeAll(readable: Readable, pieceBytes: number): Generator<Buffer> {
  const bytes = readable.read() as Buffer | null;
  if (bytes === null) return;
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
