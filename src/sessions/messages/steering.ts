import type { HandlerEvents } from '../../contract/events/table.ts';
import { Coalescer } from '../../queue/coalescer.ts';
import { messageOf } from '../../queue/handler-result.ts';
import type { Logger } from '../../queue/logger.ts';
import { isTransient } from '../../queue/membership/database-watch.ts';
import type { Store } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import { patient } from '../retry-while-away.ts';
import type { SteerRecord, SteerStore } from './steer-store.ts';

/** How often to poll, in case hints get lost. */
const EVERY_MS = 2000;

export interface SteeringOptions {
  readonly store: Pick<SteerStore, 'listSteers' | 'markSteer'> & Pick<Store, 'onHint'>;
  /** The text that the agent gets. */
  readonly textOf: (steer: SteerRecord) => string;
  /**
   * Whether the sender may still send to the session; the message may have waited a long time (X3).
   */
  readonly isAllowed: (steer: SteerRecord) => Promise<boolean>;
  readonly nodeId: () => string | null;
  readonly log: Logger;
}

/** What a feed uses of an attempt. */
type SteeredAttempt = Pick<AttemptContext<HandlerEvents>, 'run' | 'fence' | 'signal'>;

/** Delivers messages to the agents working on this node (Q11), with one read for all of them. */
export class Steering {
  readonly #options: SteeringOptions;
  readonly #feeds = new Map<string, SteerFeed>();
  #reads: Coalescer | null = null;
  #stopListening = (): void => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  /** The messages for one attempt's agent, until the feed is closed. */
  open(context: SteeredAttempt): SteerFeed {
    const feed = new SteerFeed(context, this.#options, () => this.#close(context.run.id, feed));
    this.#feeds.set(context.run.id, feed);
    if (this.#reads === null) this.#begin();
    this.#reads?.trigger();
    return feed;
  }

  #begin(): void {
    const { store, nodeId } = this.#options;
    this.#reads = new Coalescer(() => this.#read());
    this.#timer = setInterval(() => this.#reads?.trigger(), EVERY_MS);
    this.#timer.unref();
    this.#stopListening = store.onHint(({ all, nodes }) => {
      if (all === true || nodes.includes(nodeId() ?? '')) this.#reads?.trigger();
    });
  }

  #close(runId: string, feed: SteerFeed): void {
    if (this.#feeds.get(runId) === feed) this.#feeds.delete(runId);
    if (this.#feeds.size > 0) return;
    clearInterval(this.#timer);
    this.#stopListening();
    void this.#reads?.stop();
    this.#reads = null;
  }

  async #read(): Promise<void> {
    const { store, log } = this.#options;
    const feeds = new Map(this.#feeds);
    try {
      const steers = await store.listSteers([...feeds.keys()], ['waiting']);
      for (const steer of steers) feeds.get(steer.runId)?.put(steer);
    } catch (error) {
      // The worker reports when the database is unavailable.
      if (!isTransient(error)) log.warn({ reason: messageOf(error) }, 'Could not read follow-ups');
    }
  }
}

/**
 * Messages in the order they arrived. Each message is recorded as given before it is handed over,
 * and counts as taken when the next one is requested. A message that the agent did not take is put
 * back.
 */
export class SteerFeed implements AsyncIterable<string> {
  readonly #calls: ReturnType<typeof callsOf>;
  readonly #textOf: SteeringOptions['textOf'];
  readonly #onClose: () => void;
  readonly #seen = new Set<string>();
  readonly #queue: SteerRecord[] = [];
  #wake = (): void => {};
  #ended = false;
  #handedOut: SteerRecord | null = null;
  /** Work that must finish before the attempt may end. */
  #busy: Promise<unknown> = Promise.resolve();

  constructor(context: SteeredAttempt, options: SteeringOptions, onClose: () => void) {
    this.#calls = callsOf(options, context);
    this.#textOf = options.textOf;
    this.#onClose = onClose;
  }

  put(steer: SteerRecord): void {
    if (this.#seen.has(steer.id)) return;
    this.#seen.add(steer.id);
    this.#queue.push(steer);
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: () => {
        const next = this.#next();
        this.#busy = next.catch(() => {});
        return next;
      },
      return: async () => {
        await this.close();
        return { done: true, value: undefined };
      },
    };
  }

  /**
   * Stops handing over messages; resolves once the messages that were not taken have been put back.
   * Safe to call twice.
   */
  async close(): Promise<void> {
    if (!this.#ended) {
      this.#ended = true;
      this.#onClose();
      this.#wake();
      const left = this.#handedOut;
      if (left !== null) this.#busy = Promise.all([this.#busy, this.#calls.mark(left, false)]);
    }
    await this.#busy;
  }

  async #next(): Promise<IteratorResult<string, undefined>> {
    this.#handedOut = null;
    const steer = await this.#nextAllowed();
    if (steer === null) return DONE;
    const ours = await this.#calls.mark(steer, true);
    if (ours && this.#ended) await this.#calls.mark(steer, false);
    if (!ours || this.#ended) return DONE;
    this.#handedOut = steer;
    return { done: false, value: this.#textOf(steer) };
  }

  /**
   * A message that is not allowed keeps waiting, and becomes a run that is refused when it starts.
   */
  async #nextAllowed(): Promise<SteerRecord | null> {
    for (;;) {
      while (this.#queue.length === 0 && !this.#ended) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const steer = this.#queue.shift();
      if (steer === undefined || this.#ended) return null;
      if (await this.#calls.isAllowed(steer)) return steer;
    }
  }
}

/** What a feed asks the store for one attempt; both are safe to repeat. */
const callsOf = ({ store, isAllowed }: SteeringOptions, { fence, signal }: SteeredAttempt) =>
  patient(
    {
      isAllowed,
      mark: ({ id }: SteerRecord, given: boolean) => store.markSteer(id, given, fence),
    },
    signal,
  );

const DONE = { done: true, value: undefined } as const;
