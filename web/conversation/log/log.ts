import type { Client } from '../../../src/client/client.ts';
import { type EventFields, fieldsOf } from '../../../src/client/fields.ts';
import type { AttachmentNote } from '../../../src/contract/attachment.ts';
import { isBatonError } from '../../../src/contract/errors.ts';
import type { EventType } from '../../../src/contract/events/table.ts';
import { typeOf } from '../../../src/contract/events/type-of.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import { isRetryable } from '../../api/is-retryable.ts';
import { PAGE, readLog } from '../../api/read-log.ts';
import { BlockBuilder } from './block-builder.ts';
import type { Current } from './blocks.ts';
import { addEvent, blocksOf } from './build-blocks.ts';
import { append } from './log-events.ts';
import { type Row, rowsOf } from './rows.ts';
import { RunCache, type RunInfo, type RunSource } from './run-cache.ts';

/** How many events from the end of the log are shown first. */
const TAIL = 400;
/** How many older events are loaded when scrolling up. */
const OLDER = 1000;
/** Delay after a failed request. */
const RETRY_MS = 2000;
/** A log with more events than this is dropped when its page is left. */
const MAX_CACHED = 5000;

export interface LogView {
  readonly state: 'loading' | 'live' | 'failed';
  /** Why it failed. */
  readonly error: unknown;
  readonly rows: readonly Row[];
  readonly current: Current | null;
  readonly runs: ReadonlyMap<string, RunInfo | null>;
  /** Whether there is more before the first row. */
  readonly older: 'some' | 'loading' | 'none';
}

export type Changed = 'queue' | 'session' | 'approvals';

export interface LogOptions {
  readonly sessionId: string;
  readonly source: RunSource & Pick<Client, 'sessionEvents' | 'followSession'>;
  /** Schedules a render. */
  readonly soon: (show: () => void) => void;
  /** Called when something that is read elsewhere has changed. */
  readonly onChange: (what: Changed) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The log of a session as this page has loaded it: its end at once, new events as they arrive,
 * older ones on demand. Each event is applied once, however often the connection breaks.
 */
export class SessionLog {
  readonly #options: LogOptions;
  readonly #listeners = new Set<() => void>();
  readonly #runs: RunCache;
  #events: SessionEvent[] = [];
  /** Older pages that are not in the blocks yet, oldest first. */
  #ahead: SessionEvent[][] = [];
  #builder = new BlockBuilder();
  /** All events after this seq up to the last one are loaded; null before the first load. */
  #from: number | null = null;
  #last = 0;
  #stop: AbortController | null = null;
  #state: LogView['state'] = 'loading';
  #error: unknown = null;
  #older: Promise<void> | null = null;
  /** Older events are loaded until this seq is reached. */
  #goal = Number.POSITIVE_INFINITY;
  #isWholeWanted = false;
  #isDue = false;
  #view: LogView = {
    state: 'loading',
    error: null,
    rows: [],
    current: null,
    runs: new Map(),
    older: 'some',
  };

  constructor(options: LogOptions) {
    this.#options = options;
    const { sessionId, source, onError } = options;
    this.#runs = new RunCache({ sessionId, source, onError, onChange: () => this.#changed() });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): LogView => this.#view;

  /** `lastSeq` is the session's last known seq. */
  start(lastSeq: number): void {
    if (this.#stop !== null) return;
    const stop = new AbortController();
    this.#stop = stop;
    this.#state = this.#from === null ? 'loading' : 'live';
    this.#error = null;
    this.#changed();
    void this.#run(lastSeq, stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      this.#options.onError(error);
      this.#fail(error);
    });
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.#isWholeWanted = false;
    this.#runs.stop();
    const ahead = this.#ahead.reduce((sum, page) => sum + page.length, 0);
    if (this.#events.length + ahead > MAX_CACHED) this.#forget();
  }

  /** Records that a message sent from this page has become this run. */
  noteMessage(runId: string, message: string, attachments: readonly AttachmentNote[]): void {
    this.#runs.noteSent(runId, message, attachments);
    this.#changed();
  }

  /** Loads the previous page, or as many pages as it takes to reach the event with a given seq. */
  loadOlder(seq: number = this.#from ?? Number.POSITIVE_INFINITY): Promise<void> {
    this.#goal = Math.min(this.#goal, seq);
    this.#older ??= this.#loadOlder().finally(() => {
      this.#older = null;
      this.#changed();
    });
    this.#changed();
    return this.#older;
  }

  /** Sets whether the whole log is needed, as for a search. */
  wantWhole(isWanted: boolean): void {
    this.#isWholeWanted = isWanted;
    if (isWanted) void this.loadOlder();
  }

  #fail(error: unknown): void {
    this.#error = error;
    this.#state = 'failed';
    this.#stop?.abort();
    this.#stop = null;
    this.#changed();
  }

  /** Resets to the state before the first load. */
  #forget(): void {
    this.#events = [];
    this.#ahead = [];
    this.#builder = new BlockBuilder();
    this.#from = null;
    this.#last = 0;
    this.#goal = Number.POSITIVE_INFINITY;
    this.#state = 'loading';
    this.#changed();
  }

  async #run(lastSeq: number, signal: AbortSignal): Promise<void> {
    const { sessionId, source } = this.#options;
    if (this.#from === null) await this.#loadTail(Math.max(0, lastSeq - TAIL), signal);
    this.#state = 'live';
    if (this.#isWholeWanted) void this.loadOlder();
    this.#changed();
    for await (const event of source.followSession(sessionId, { after: this.#last, signal })) {
      this.#append(event);
    }
  }

  async #loadTail(after: number, signal: AbortSignal): Promise<void> {
    const { sessionId, source } = this.#options;
    const query = { after, limit: PAGE };
    const load = source.sessionEvents({ params: { id: sessionId }, query }, { signal });
    const page = await load.catch((error: unknown) => {
      // The log is shorter than expected: it comes from another database.
      if (isBatonError(error, 'cursor_ahead') && after > 0) return null;
      throw error;
    });
    if (page === null) return this.#loadTail(0, signal);
    this.#from = after;
    this.#last = after;
    for (const event of page.items) this.#append(event);
  }

  #append(event: SessionEvent): void {
    if (event.seq <= this.#last) return;
    this.#last = event.seq;
    append(this.#events, event);
    addEvent(this.#builder, event);
    this.#noteRun(event);
    if (this.#state === 'live') this.#notify(event.type);
    this.#changed();
  }

  #notify(type: string): void {
    if (!Object.hasOwn(CHANGES, type)) return;
    for (const what of CHANGES[type as EventType] ?? []) this.#options.onChange(what);
  }

  #noteRun(event: SessionEvent): void {
    const { runId } = event;
    if (runId === null) return;
    if (isEdit(event)) this.#runs.refresh(runId);
    else this.#runs.load(runId);
  }

  async #loadOlder(): Promise<void> {
    for (let first = this.#from; first !== null && this.#isWanted(first); first = this.#from) {
      try {
        await this.#loadPageBefore(first);
      } catch (error) {
        this.#options.onError(error);
        if (!isRetryable(error)) this.#fail(error);
        else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      if (this.#stop === null) break;
    }
    this.#putInFront();
  }

  #isWanted(first: number): boolean {
    return first > 0 && (this.#isWholeWanted || first >= this.#goal);
  }

  async #loadPageBefore(first: number): Promise<void> {
    const { sessionId, source } = this.#options;
    const from = Math.max(0, first - OLDER);
    const older: SessionEvent[] = [];
    const page = await readLog(source, sessionId, { after: from, last: first });
    // Reset while loading.
    if (this.#from !== first) return;
    for (const event of page) append(older, event);
    for (const { runId } of older) if (runId !== null) this.#runs.loadOld(runId);
    this.#ahead.unshift(older);
    this.#from = from;
    // This rebuilds all blocks, so the more events there are, the less often it is done.
    if (this.#ahead.length * OLDER >= this.#events.length) this.#putInFront();
  }

  #putInFront(): void {
    if (this.#ahead.length === 0) return;
    this.#events = [...this.#ahead, this.#events].flat();
    this.#ahead = [];
    this.#builder = blocksOf(this.#events);
    this.#changed();
  }

  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.soon(() => {
      this.#isDue = false;
      this.#show();
    });
  }

  #show(): void {
    const hasOlder = this.#from === null || this.#from > 0;
    this.#view = {
      state: this.#state,
      error: this.#error,
      rows: rowsOf(this.#builder.blocks),
      current: this.#builder.current,
      runs: new Map(this.#runs.known),
      older: this.#older !== null ? 'loading' : hasOlder ? 'some' : 'none',
    };
    for (const listener of this.#listeners) listener();
  }
}

function isEdit(event: SessionEvent): boolean {
  const fields: EventFields<'run.queued'> = fieldsOf(event.payload);
  return typeOf(event) === 'run.queued' && fields.change === 'edited';
}

/** What each event invalidates. */
const CHANGES: { readonly [T in EventType]?: readonly Changed[] } = {
  'run.queued': ['queue'],
  'run.dequeued': ['queue'],
  'run.restarted': ['queue'],
  'run.finished': ['queue', 'session'],
  'session.held': ['session'],
  'session.resumed': ['session'],
  'session.status': ['session'],
  'session.moved': ['session'],
  'approval.requested': ['approvals'],
  'approval.decided': ['approvals'],
  'approval.withdrawn': ['approvals'],
};
