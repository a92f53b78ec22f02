import { createStore } from '../../state/store.ts';
import { keep, kept } from '../../state/stored.ts';
import { type Added, joined, type PickedFile, pick, type Trouble } from './files.ts';

export interface Drafted {
  readonly text: string;
  readonly files: readonly PickedFile[];
  /** Why some files are not among them. */
  readonly trouble: Trouble | null;
  /** Whether files are still being read. */
  readonly isReading: boolean;
  /** Whether the text would be there after a reload. */
  readonly isKept: boolean;
}

const EMPTY: Drafted = { text: '', files: [], trouble: null, isReading: false, isKept: true };

/**
 * What is being written to a session, whether or not the page has a field for it right now. The text
 * is kept twice: for a reload in this tab, and for a browser that was closed, where the last tab wins.
 */
export class Draft {
  readonly #name: string;
  readonly #state = createStore<Drafted>(EMPTY);
  #reads = 0;

  readonly get = this.#state.get;
  readonly subscribe = this.#state.subscribe;

  constructor(userId: string, sessionId: string) {
    this.#name = `baton.draft/${userId}/${sessionId}`;
    const text = kept(this.#name, 'tab') ?? kept(this.#name) ?? '';
    this.#state.set({ ...EMPTY, text });
  }

  /** Whether leaving it would lose nothing. */
  get isIdle(): boolean {
    return this.get().files.length === 0 && this.#reads === 0;
  }

  write(text: string): void {
    const before = this.get().text;
    const inTab = keep(this.#name, text, 'tab');
    // What another tab has written meanwhile is not thrown away with this one's.
    const isOthers = text === '' && kept(this.#name) !== before;
    const inBrowser = isOthers || keep(this.#name, text);
    this.#put({ text, isKept: inTab || inBrowser });
  }

  /** Joined with what is there when they have been read, not when they were picked. */
  async add(files: readonly File[]): Promise<void> {
    this.#reads++;
    this.#put({ isReading: true });
    const read = await pick(files);
    this.#reads--;
    const { files: all, trouble } = joined(this.get().files, read.files);
    this.#put({ files: all, trouble: trouble ?? read.trouble, isReading: this.#reads > 0 });
  }

  remove(id: string): void {
    this.#put({ files: this.get().files.filter((each) => each.id !== id), trouble: null });
  }

  /** What was not sent, before what has been written since. */
  putBack(back: Pick<Added, 'files'> & { readonly text: string }): void {
    const { text, files } = this.get();
    this.write(text === '' ? back.text : `${back.text}\n${text}`);
    this.#put(joined(back.files, files));
  }

  /** All of it, to be sent; null if there is nothing to send, or not yet. */
  take(): Pick<Drafted, 'text' | 'files'> | null {
    const { text, files, isReading } = this.get();
    if (text.trim() === '' || isReading) return null;
    this.write('');
    this.#put({ files: [], trouble: null });
    return { text, files };
  }

  #put(part: Partial<Drafted>): void {
    this.#state.set({ ...this.get(), ...part });
  }
}
