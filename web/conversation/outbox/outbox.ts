import { BatonError, isBatonError } from '../../../src/contract/errors.ts';
import type { MessageReceipt } from '../../../src/contract/message.ts';
import { mayPass } from '../../api/is-retryable.ts';
import { createStore } from '../../state/store.ts';
import type { PickedFile } from './files.ts';
import type { KeptLetter, LetterStore } from './outbox-storage.ts';

/** What to do if the agent is at work. */
export type OnBusy = 'enqueue' | 'interrupt' | 'steer';

export interface Letter {
  /** The same one makes one run, however often it is sent. */
  readonly key: string;
  /** When it was written. */
  readonly at: number;
  readonly text: string;
  readonly onBusy: OnBusy;
  readonly files: readonly PickedFile[];
}

/** What a person has written. */
export type Written = Pick<Letter, 'text' | 'onBusy' | 'files'>;

export interface Outgoing extends Letter {
  /** `waiting`: the server did not answer; it is tried again. `refused`: a person has to say what now. */
  readonly state: 'sending' | 'waiting' | 'accepted' | 'refused';
  /** Why it was refused; null if it was not by the server. */
  readonly error: BatonError | null;
  /** Names of files that were lost, without which it is not sent. */
  readonly missing: readonly string[];
  /** What it has become. */
  readonly runId: string | null;
  /** Where it is shown until the log has it: it waits its turn, or it is next. */
  readonly place: 'queue' | 'flow';
}

export interface OutboxOptions {
  readonly deliver: (letter: Outgoing) => Promise<MessageReceipt>;
  readonly onAccepted: (receipt: MessageReceipt, letter: Letter) => void;
  /** Where they are over a reload. */
  readonly store: LetterStore;
  readonly pause: (ms: number) => Promise<void>;
  readonly newKey: () => string;
  readonly now: () => number;
}

const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 5000;
/** What was written longer ago may no longer be meant, so it is not sent by itself. */
const OLD_MS = 24 * 3600_000;

/**
 * Messages on their way to the server, in order. One that the server did not answer is sent again
 * under its key until it is answered, also after a reload; one that it refused stays to be mended, and
 * is never sent by itself.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #items = createStore<readonly Outgoing[]>([]);
  readonly #restored: Promise<void>;
  #isRestored = false;
  /** Letters that are about to be kept. */
  readonly #keeping = new Map<string, Promise<unknown>>();
  #isBusy = false;

  readonly get = this.#items.get;
  readonly subscribe = this.#items.subscribe;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#restored = this.#restore();
    void this.#work();
  }

  /** Whether there is nothing left to do or to show. */
  get isIdle(): boolean {
    return this.#isRestored && this.get().length === 0;
  }

  send(written: Written, place: Outgoing['place']): void {
    const { newKey, now, store } = this.#options;
    const letter: Letter = { ...written, key: newKey(), at: now() };
    this.#keeping.set(letter.key, store.keep(letter, null, true));
    this.#items.set([...this.get(), { ...fresh(letter), place }]);
    void this.#work();
  }

  /** One that was refused, once more. Under its key: it may have arrived all the same. */
  again(key: string): void {
    const letter = this.#find(key);
    if (letter === undefined || letter.missing.length > 0) return;
    if (isBatonError(letter.error, 'idempotency_conflict')) {
      // The key stands for something else.
      this.discard(key);
      this.send(letter, letter.place);
      return;
    }
    this.#change(key, { state: 'waiting', error: null, at: this.#options.now() });
    void this.#work();
  }

  discard(key: string): void {
    this.#options.store.drop(key);
    this.lose(key);
  }

  /** Another tab has sent it, or thrown it away. */
  lose(key: string): void {
    this.#items.set(this.get().filter((each) => each.key !== key || each.state === 'accepted'));
  }

  /** Leaves out what the page shows by itself by now. */
  settle(isShown: (runId: string) => boolean): void {
    const left = this.get().filter(({ runId }) => runId === null || !isShown(runId));
    if (left.length !== this.get().length) this.#items.set(left);
  }

  /** One that has not begun soon is among those that wait. */
  queue(key: string): void {
    this.#change(key, { place: 'queue' });
  }

  #find(key: string): Outgoing | undefined {
    return this.get().find((each) => each.key === key);
  }

  async #restore(): Promise<void> {
    const found = await this.#options.store.load();
    const before = this.#options.now() - OLD_MS;
    this.#items.set([...found.map((letter) => left(letter, before)), ...this.get()]);
    this.#isRestored = true;
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    await this.#restored;
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      const next = this.get().find(({ state }) => state === 'sending' || state === 'waiting');
      if (next === undefined) break;
      // Once the page shows that it was not sent, a person may close the page.
      await this.#keeping.get(next.key);
      this.#keeping.delete(next.key);
      if (this.#find(next.key) === undefined) continue;
      if (await this.#deliver(next)) {
        pauseMs = FIRST_PAUSE_MS;
      } else {
        await this.#options.pause(pauseMs);
        pauseMs = Math.min(MOST_PAUSE_MS, pauseMs * 2);
      }
    }
    this.#isBusy = false;
  }

  /** Whether the server has answered. */
  async #deliver(letter: Outgoing): Promise<boolean> {
    const { deliver, onAccepted } = this.#options;
    let receipt: MessageReceipt;
    try {
      receipt = await deliver(letter);
    } catch (thrown) {
      return this.#failed(letter.key, thrown);
    }
    if (receipt.status === 'steered') this.discard(letter.key);
    else this.#change(letter.key, { state: 'accepted', runId: receipt.runId });
    onAccepted(receipt, letter);
    return true;
  }

  #failed(key: string, thrown: unknown): boolean {
    const error = isBatonError(thrown) ? thrown : new BatonError('internal', String(thrown));
    if (mayPass(error) && !isUnsure(error)) {
      this.#change(key, { state: 'waiting' });
      return false;
    }
    // The run has ended meanwhile, so it is the next one.
    if (isBatonError(error, 'cannot_steer')) this.#change(key, { onBusy: 'enqueue' });
    else this.#change(key, { state: 'refused', error });
    return true;
  }

  #change(key: string, part: Partial<Outgoing>): void {
    const before = this.#find(key);
    if (before === undefined) return;
    const item = { ...before, ...part };
    if (item.state === 'accepted') this.#options.store.drop(key);
    // What another tab has done with it meanwhile is not undone by what is not kept.
    else if ('error' in part || 'onBusy' in part)
      void this.#options.store.keep(item, item.error, false);
    this.#items.set(this.get().map((each) => (each.key === key ? item : each)));
  }
}

const fresh = (letter: Letter): Outgoing => ({
  ...letter,
  state: 'sending',
  error: null,
  missing: [],
  runId: null,
  place: 'flow',
});

/** As it was left: what waited for the server or a sign-in goes on, the rest waits for a person. */
function left({ refusal, missing, ...letter }: KeptLetter, before: number): Outgoing {
  const isRefused = refusal !== null && refusal.code !== 'unauthorized';
  const isOpen = !isRefused && missing.length === 0 && letter.at > before;
  const state = isOpen ? 'sending' : 'refused';
  return { ...fresh(letter), state, error: isRefused ? refusal : null, missing };
}

/** Whether it may have arrived although it was not confirmed. */
export const isUnsure = (error: BatonError | null): boolean =>
  isBatonError(error, 'internal') || isBatonError(error, 'bad_answer');
