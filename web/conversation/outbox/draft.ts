import { createStore } from '../../state/store.ts';
import { readStored, writeStored } from '../../state/stored.ts';
import { type Added, joined, type PickedFile, pick, type Trouble } from './files.ts';

export interface Drafted {
  readonly text: string;
  readonly files: readonly PickedFile[];
  /** Why some files were not added. */
  readonly trouble: Trouble | null;
  /** Whether files are still being read. */
  readonly isReading: boolean;
  /** Whether the text survives a reload. */
  readonly isStored: boolean;
}

const EMPTY: Drafted = { text: '', files: [], trouble: null, isReading: false, isStored: true };

/**
 * The draft of a session, whether or not a field shows it. The text is stored twice: once for a
 * reload of this tab, and once for when the browser is closed. The second copy is shared by all
 * tabs; the last one to write it wins.
 */
export class Draft {
  readonly #name: string;
  readonly #state = createStore<Drafted>(EMPTY);
  #reads = 0;

  readonly get = this.#state.get;
  readonly subscribe = this.#state.subscribe;

  constructor(userId: string, sessionId: string) {
    this.#name = `baton.draft/${userId}/${sessionId}`;
    const text = readStored(this.#name, 'tab') ?? readStored(this.#name) ?? '';
    this.#state.set({ ...EMPTY, text });
  }

  /** Whether the draft can be dropped without losing anything. */
  get isIdle(): boolean {
    return this.get().files.length === 0 && this.#reads === 0;
  }

  write(text: string): void {
    const before = this.get().text;
    const inTab = writeStored(this.#name, text, 'tab');
    // Text that another tab has written is not discarded.
    const isOthers = text === '' && readStored(this.#name) !== before;
    const inBrowser = isOthers || writeStored(this.#name, text);
    this.#put({ text, isStored: inTab || inBrowser });
  }

  /**
   * Reading takes time, so the files are added to those present when it ends, not to those present
   * when it began.
   */
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

  /** Puts an unsent message in front of anything written since. */
  returnToDraft(back: Pick<Added, 'files'> & { readonly text: string }): void {
    const { text, files } = this.get();
    this.write(text === '' ? back.text : `${back.text}\n${text}`);
    this.#put(joined(back.files, files));
  }

  /** Takes the draft for sending; null if it is empty or not ready. */
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
