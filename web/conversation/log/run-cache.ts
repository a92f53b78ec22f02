import type { Client } from '../../../src/client/client.ts';
import type { AttachmentNote } from '../../../src/contract/attachment.ts';
import { isBatonError } from '../../../src/contract/errors.ts';
import type { RunView } from '../../../src/contract/run-view.ts';
import { mayPass } from '../../api/is-retryable.ts';

/** What the log does not say about a run. */
export interface RunInfo
  extends Pick<RunView, 'message' | 'channel' | 'sender' | 'retryOf' | 'costUsd'> {
  readonly attachments: readonly AttachmentNote[];
}

export type RunSource = Pick<Client, 'listRuns' | 'getRun'>;

export interface RunBookOptions {
  readonly sessionId: string;
  readonly source: RunSource;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

const PAGE = 100;
const AGAIN_MS = 2000;

/**
 * The runs of a session that its log names. Old ones are read by the page from the newest back, new
 * ones one by one as they appear; one request at a time.
 */
export class RunBook {
  readonly #options: RunBookOptions;
  /** Null: it was removed. */
  readonly #known = new Map<string, RunInfo | null>();
  readonly #wanted = new Set<string>();
  /** Of the next page; null: all are read. */
  #next: string | null | undefined;
  /** The oldest run of the pages so far: ids rise with age. */
  #oldest: string | undefined;
  #isReading = false;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RunBookOptions) {
    this.#options = options;
  }

  get known(): ReadonlyMap<string, RunInfo | null> {
    return this.#known;
  }

  want(id: string): void {
    if (!this.#known.has(id)) this.refresh(id);
  }

  /** One of long ago: if it is not on the pages that were read, it is not there any more. */
  wantOld(id: string): void {
    const isRead = this.#next === null || this.#oldest !== undefined;
    if (isRead && !this.#known.has(id) && !this.#isOnNextPage(id)) this.#lose(id);
    else this.want(id);
  }

  /** It may have changed. */
  refresh(id: string): void {
    this.#wanted.add(id);
    void this.#read();
  }

  /** What this page has sent itself, until the server has told it. */
  note(id: string, message: string, attachments: readonly AttachmentNote[]): void {
    if (this.#known.has(id)) return;
    const mine = { channel: 'web', sender: null, retryOf: null, costUsd: 0 };
    this.#known.set(id, { message, attachments, ...mine });
    this.refresh(id);
  }

  stop(): void {
    clearTimeout(this.#again);
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    // All that one batch of events names is wanted together.
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
      clearTimeout(this.#again);
      // What time does not mend is not asked for ever; the next one that is wanted asks anew.
      if (!mayPass(error)) return;
      this.#again = setTimeout(() => void this.#read(), AGAIN_MS);
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
    const asked = [...this.#wanted];
    const page = await source.listRuns({ query });
    for (const run of page.items) this.#put(run);
    this.#next = page.nextCursor;
    this.#oldest = page.items.at(-1)?.id ?? this.#oldest;
    // What would have been on the pages so far is not there any more.
    for (const id of asked) if (!this.#known.has(id) && !this.#isOnNextPage(id)) this.#lose(id);
  }

  async #one(id: string): Promise<void> {
    try {
      this.#put(await this.#options.source.getRun({ params: { id } }));
    } catch (error) {
      if (!isBatonError(error, 'not_found')) throw error;
      this.#lose(id);
    }
  }

  #lose(id: string): void {
    this.#known.set(id, null);
    this.#wanted.delete(id);
  }

  #put({ id, message, channel, sender, attachments, retryOf, costUsd }: RunView): void {
    this.#known.set(id, { message, channel, sender, attachments, retryOf, costUsd });
    this.#wanted.delete(id);
  }
}
