import { BatonError, isBatonError } from '../../../src/contract/errors.ts';
import { backoff } from '../../../src/contract/functions/growing-wait.ts';
import type { MessageReceipt } from '../../../src/contract/message.ts';
import { isRetryable } from '../../api/is-retryable.ts';
import { createStore } from '../../state/store.ts';
import type { PickedFile } from './files.ts';
import type { OutboxStorage, StoredMessage } from './outbox-storage.ts';

/** What to do if the agent is working. */
export type OnBusy = 'enqueue' | 'interrupt' | 'steer';

export interface OutgoingMessage {
  /** Idempotency key: the same key creates one run, however often it is sent. */
  readonly key: string;
  /** When the message was written. */
  readonly at: number;
  readonly text: string;
  readonly onBusy: OnBusy;
  readonly files: readonly PickedFile[];
}

/** What the user wrote. */
export type Written = Pick<OutgoingMessage, 'text' | 'onBusy' | 'files'>;

export interface OutboxItem extends OutgoingMessage {
  /**
   * `waiting`: the server did not respond, and the message will be sent again. `refused`: the user
   * has to decide.
   */
  readonly state: 'sending' | 'waiting' | 'accepted' | 'refused';
  /** Why the server refused the message; null if it did not. */
  readonly error: BatonError | null;
  /** Names of lost files; the message is not sent without them. */
  readonly missing: readonly string[];
  /** The id of the run that the message became. */
  readonly runId: string | null;
  /**
   * Where the message is shown until the log contains it: in the queue, or in the conversation if
   * it is next.
   */
  readonly shownIn: 'queue' | 'flow';
}

export interface OutboxOptions {
  readonly deliver: (message: OutboxItem) => Promise<MessageReceipt>;
  readonly onAccepted: (receipt: MessageReceipt, message: OutgoingMessage) => void;
  /** Keeps the messages across reloads. */
  readonly store: OutboxStorage;
  readonly pause: (ms: number) => Promise<void>;
  readonly newKey: () => string;
  readonly now: () => number;
}

const PAUSES = { firstMs: 500, capMs: 5000 };
/** Older messages may no longer be wanted, so they are not sent automatically. */
const OLD_MS = 24 * 3600_000;

/**
 * Messages on their way to the server, in order. A message is sent again under the same key until
 * there is a response, even after a reload. A refused message is kept so that it can be edited, and
 * is never sent automatically.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #items = createStore<readonly OutboxItem[]>([]);
  readonly #restored: Promise<void>;
  #isRestored = false;
  /** Messages that are being saved. */
  readonly #saving = new Map<string, Promise<unknown>>();
  #isBusy = false;

  readonly get = this.#items.get;
  readonly subscribe = this.#items.subscribe;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#restored = this.#restore();
    void this.#deliverAll();
  }

  /** Whether there is nothing left to do or to show. */
  get isIdle(): boolean {
    return this.#isRestored && this.get().length === 0;
  }

  send(written: Written, shownIn: OutboxItem['shownIn']): void {
    const { newKey, now, store } = this.#options;
    const message: OutgoingMessage = { ...written, key: newKey(), at: now() };
    this.#saving.set(message.key, store.save(message, null, true));
    this.#items.set([...this.get(), { ...fresh(message), shownIn }]);
    void this.#deliverAll();
  }

  /** Sends a refused message again under the same key, because it may have arrived after all. */
  sendAgain(key: string): void {
    const message = this.#find(key);
    if (message === undefined || message.missing.length > 0) return;
    if (isBatonError(message.error, 'idempotency_conflict')) {
      // The key belongs to another message.
      this.discard(key);
      this.send(message, message.shownIn);
      return;
    }
    this.#change(key, { state: 'waiting', error: null, at: this.#options.now() });
    void this.#deliverAll();
  }

  discard(key: string): void {
    this.#options.store.drop(key);
    this.forget(key);
  }

  /** Another tab has sent or discarded the message. */
  forget(key: string): void {
    this.#items.set(this.get().filter((each) => each.key !== key || each.state === 'accepted'));
  }

  /** Drops messages that the page now shows from the log or queue. */
  dropShown(isShown: (runId: string) => boolean): void {
    const remaining = this.get().filter(({ runId }) => runId === null || !isShown(runId));
    if (remaining.length !== this.get().length) this.#items.set(remaining);
  }

  /** Moves a message that did not start soon to the queue. */
  moveToQueue(key: string): void {
    this.#change(key, { shownIn: 'queue' });
  }

  #find(key: string): OutboxItem | undefined {
    return this.get().find((each) => each.key === key);
  }

  async #restore(): Promise<void> {
    const stored = await this.#options.store.load();
    const before = this.#options.now() - OLD_MS;
    this.#items.set([...stored.map((message) => restored(message, before)), ...this.get()]);
    this.#isRestored = true;
  }

  async #deliverAll(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    await this.#restored;
    for (let failures = 0; ; ) {
      const next = this.get().find(({ state }) => state === 'sending' || state === 'waiting');
      if (next === undefined) break;
      // The message is saved first, because once the page shows it as unsent, the user may close
      // the page.
      await this.#saving.get(next.key);
      this.#saving.delete(next.key);
      if (this.#find(next.key) === undefined) continue;
      if (await this.#deliver(next)) {
        failures = 0;
      } else {
        await this.#options.pause(backoff(++failures, PAUSES));
      }
    }
    this.#isBusy = false;
  }

  /** Whether the server responded. */
  async #deliver(message: OutboxItem): Promise<boolean> {
    const { deliver, onAccepted } = this.#options;
    let receipt: MessageReceipt;
    try {
      receipt = await deliver(message);
    } catch (thrown) {
      return this.#failed(message.key, thrown);
    }
    if (receipt.status === 'steered') this.discard(message.key);
    else this.#change(message.key, { state: 'accepted', runId: receipt.runId });
    onAccepted(receipt, message);
    return true;
  }

  #failed(key: string, thrown: unknown): boolean {
    const error = isBatonError(thrown) ? thrown : new BatonError('internal', String(thrown));
    if (isRetryable(error) && !isUnsure(error)) {
      this.#change(key, { state: 'waiting' });
      return false;
    }
    // The run has ended, so this message becomes the next run.
    if (isBatonError(error, 'cannot_steer')) this.#change(key, { onBusy: 'enqueue' });
    else this.#change(key, { state: 'refused', error });
    return true;
  }

  #change(key: string, part: Partial<OutboxItem>): void {
    const before = this.#find(key);
    if (before === undefined) return;
    const item = { ...before, ...part };
    if (item.state === 'accepted') this.#options.store.drop(key);
    // Only actual changes are saved, so that nothing another tab did is undone.
    else if ('error' in part || 'onBusy' in part)
      void this.#options.store.save(item, item.error, false);
    this.#items.set(this.get().map((each) => (each.key === key ? item : each)));
  }
}

const fresh = (message: OutgoingMessage): OutboxItem => ({
  ...message,
  state: 'sending',
  error: null,
  missing: [],
  runId: null,
  shownIn: 'flow',
});

/**
 * Restores a stored message. Messages waiting for the server or a sign-in are sent; the others wait
 * for the user.
 */
function restored({ refusal, missing, ...message }: StoredMessage, before: number): OutboxItem {
  const isRefused = refusal !== null && refusal.code !== 'unauthorized';
  const isOpen = !isRefused && missing.length === 0 && message.at > before;
  const state = isOpen ? 'sending' : 'refused';
  return { ...fresh(message), state, error: isRefused ? refusal : null, missing };
}

/** Whether the message may have arrived although it was not confirmed. */
export const isUnsure = (error: BatonError | null): boolean =>
  isBatonError(error, 'internal') || isBatonError(error, 'bad_answer');
