import type { Client } from '../../../src/client/client.ts';
import type { AttachmentNote } from '../../../src/contract/attachment.ts';
import { isBatonError } from '../../../src/contract/errors.ts';
import type { RunView } from '../../../src/contract/run-view.ts';
import { isRetryable } from '../../api/is-retryable.ts';

/** Facts about a run that the log does not contain. */
export interface RunInfo
  extends Pick<RunView, 'message' | 'channel' | 'sender' | 'retryOf' | 'costUsd'> {
  readonly attachments: readonly AttachmentNote[];
}

export type RunSource = Pick<Client, 'listRuns' | 'getRun'>;

export interface RunCacheOptions {
  readonly sessionId: string;
  readonly source: RunSource;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

const PAGE = 100;
const RETRY_MS = 2000;

/**
 * The runs that a session's log mentions. Old runs are read page by page, starting with the newest;
 * new runs are read individually as they appear. There is one request at a time.
 */
export class RunCache {
  readonly #options: RunCacheOptions;
  /** Null if the run was removed. */
  readonly #known = new Map<string, RunInfo | null>();
  readonly #wanted = new Set<string>();
  /** Cursor of the next page; null if all have been read. */
  #next: string | null | undefined;
  /** The oldest run read so far; ids increase with time. */
  #oldest: string | undefined;
  #isReading = false;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RunCacheOptions) {
    this.#options = options;
  }

  get known(): ReadonlyMap<string, RunInfo | null> {
    return this.#known;
  }

  load(id: string): void {
    if (!this.#known.has(id)) this.refresh(id);
  }

  /** An old run: if it is not on the pages read so far, it no longer exists. */
  loadOld(id: string): void {
    const isRead = this.#next === null || this.#oldest !== undefined;
    if (isRead && !this.#known.has(id) && !this.#isOnNextPage(id)) this.#markGone(id);
    else this.load(id);
  }

  /** Reads a run again. */
  refresh(id: string): void {
    this.#wanted.add(id);
    void this.#read();
  }

  /** A message sent from this page, until the server returns it. */
  noteSent(id: string, message: string, attachments: readonly AttachmentNote[]): void {
    if (this.#known.has(id)) return;
    const mine = { channel: 'web', sender: null, retryOf: null, costUsd: 0 };
    this.#known.set(id, { message, attachments, ...mine });
    this.refresh(id);
  }

  stop(): void {
    clearTimeout(this.#retry);
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    // Waits for everything that one batch of events mentions.
    await Promise.resolve();
    try {
      while (this.#wanted.size > 0) {
        for (const id of [...this.#wanted]) {
          if (!this.#wanted.has(id)) continue;
          await (this.#isOnNextPage(id) ? this.#page() : this.#one(id));
          this.#options.onChange();
        }
      }
    } catch (error) {
      this.#options.onError(error);
      clearTimeout(this.#retry);
      // Permanent errors are not retried; the next request starts over.
      if (!isRetryable(error)) return;
      this.#retry = setTimeout(() => void this.#read(), RETRY_MS);
    } finally {
      this.#isReading = false;
    }
  }

  #isOnNextPage(id: string): boolean {
    if (this.#known.has(id) || this.#next === null) return false;
    return this.#oldest === undefined || id < this.#oldest;
  }

  async #page(): Promise<void> {
    const { source, sessionId } = this.#options;
    const cursor = this.#next === undefined || this.#next === null ? {} : { cursor: this.#next };
    const query = { sessionId, order: 'newest' as const, limit: PAGE, ...cursor };
    const requested = [...this.#wanted];
    const page = await source.listRuns({ query });
    for (const run of page.items) this.#put(run);
    this.#next = page.nextCursor;
    this.#oldest = page.items.at(-1)?.id ?? this.#oldest;
    // Runs that should have been on these pages no longer exist.
    for (const id of requested)
      if (!this.#known.has(id) && !this.#isOnNextPage(id)) this.#markGone(id);
  }

  async #one(id: string): Promise<void> {
    try {
      this.#put(await this.#options.source.getRun({ params: { id } }));
    } catch (error) {
      if (!isBatonError(error, 'not_found')) throw error;
      this.#markGone(id);
    }
  }

  #markGone(id: string): void {
    this.#known.set(id, null);
    this.#wanted.delete(id);
  }

  #put({ id, message, channel, sender, attachments, retryOf, costUsd }: RunView): void {
    this.#known.set(id, { message, channel, sender, attachments, retryOf, costUsd });
    this.#wanted.delete(id);
  }
}
