import { BatonError, isBatonError } from '../../src/contract/errors.ts';
import type { MessageReceipt } from '../../src/contract/message.ts';
import { createStore } from '../parts/store.ts';
import type { PickedFile } from './files.ts';

/** What to do if the agent is at work. */
export type OnBusy = 'enqueue' | 'interrupt' | 'steer';

export interface Letter {
  /** The same one makes one run, however often it is sent. */
  readonly key: string;
  readonly text: string;
  readonly onBusy: OnBusy;
  readonly files: readonly PickedFile[];
}

export interface Outgoing extends Letter {
  /** `waiting`: the server did not answer; it is tried again. */
  readonly state: 'sending' | 'waiting' | 'accepted' | 'refused';
  readonly error: BatonError | null;
  /** What it has become. */
  readonly runId: string | null;
  /** Where it is shown until the log has it: it waits its turn, or it is next. */
  readonly place: 'queue' | 'flow';
}

export interface OutboxOptions {
  readonly deliver: (letter: Letter) => Promise<MessageReceipt>;
  readonly onAccepted: (receipt: MessageReceipt, letter: Letter) => void;
  /** Kept over a reload; null forgets. */
  readonly keep: (text: string | null) => void;
  readonly kept: string | null;
  readonly pause: (ms: number) => Promise<void>;
  readonly newKey: () => string;
}

const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 5000;

/**
 * Messages on their way to the server, in order. One that the server did not answer is sent again
 * under its key until it is answered, also after a reload; one that it refused stays to be mended.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #items = createStore<readonly Outgoing[]>([]);
  #isBusy = false;

  readonly get = this.#items.get;
  readonly subscribe = this.#items.subscribe;

  constructor(options: OutboxOptions) {
    this.#options = options;
    for (const letter of parse(options.kept)) this.#add({ ...letter, files: [] }, 'flow');
    void this.#work();
  }

  send(letter: Omit<Letter, 'key'>, place: Outgoing['place']): void {
    this.#add({ ...letter, key: this.#options.newKey() }, place);
    void this.#work();
  }

  /** One that was refused, once more: it counts as a new one. */
  again(key: string): void {
    const fresh = { key: this.#options.newKey(), state: 'waiting', error: null } as const;
    this.#change(key, fresh);
    void this.#work();
  }

  discard(key: string): void {
    this.#set(this.get().filter((each) => each.key !== key));
  }

  /** Leaves out what the page shows by itself by now. */
  settle(isShown: (runId: string) => boolean): void {
    const left = this.get().filter(({ runId }) => runId === null || !isShown(runId));
    if (left.length !== this.get().length) this.#set(left);
  }

  /** One that has not begun soon is among those that wait. */
  queue(key: string): void {
    this.#change(key, { place: 'queue' });
  }

  #add(letter: Letter, place: Outgoing['place']): void {
    const item: Outgoing = { ...letter, state: 'sending', error: null, runId: null, place };
    this.#set([...this.get(), item]);
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      const next = this.get().find(({ state }) => state === 'sending' || state === 'waiting');
      if (next === undefined) break;
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
    try {
      const receipt = await this.#options.deliver(letter);
      if (receipt.status === 'steered') this.discard(letter.key);
      else this.#change(letter.key, { state: 'accepted', runId: receipt.runId });
      this.#options.onAccepted(receipt, letter);
    } catch (thrown) {
      const error = isBatonError(thrown) ? thrown : new BatonError('internal', String(thrown));
      if (mayPass(error)) {
        this.#change(letter.key, { state: 'waiting' });
        return false;
      }
      // The run has ended meanwhile, so it is the next one.
      if (isBatonError(error, 'cannot_steer')) {
        const key = this.#options.newKey();
        this.#change(letter.key, { key, onBusy: 'enqueue', state: 'sending' });
      } else {
        this.#change(letter.key, { state: 'refused', error });
      }
    }
    return true;
  }

  #change(key: string, part: Partial<Outgoing>): void {
    this.#set(this.get().map((each) => (each.key === key ? { ...each, ...part } : each)));
  }

  #set(items: readonly Outgoing[]): void {
    this.#items.set(items);
    const open = items.filter(({ state, files }) => state !== 'accepted' && files.length === 0);
    const letters = open.map(({ key, text, onBusy }) => ({ key, text, onBusy }));
    this.#options.keep(letters.length === 0 ? null : JSON.stringify(letters));
  }
}

const mayPass = (error: BatonError): boolean =>
  error.code !== 'bad_answer' &&
  error.code !== 'internal' &&
  (error.status >= 500 || error.code === 'rate_limited');

function parse(kept: string | null): Omit<Letter, 'files'>[] {
  try {
    const found: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(found) ? (found as Omit<Letter, 'files'>[]) : [];
  } catch {
    return [];
  }
}
