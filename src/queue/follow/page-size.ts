/** Events of the first page; a payload has at most 256 KiB, so even the worst one is bearable. */
const FIRST = 16;
const MOST = 256;
/** About as many bytes as a page has at most, and all pages of this process together. */
const PAGE_BYTES = 512 * 1024;
const ALL_BYTES = 32 * 1024 * 1024;
/** Pages smaller than this part of what they may be are made larger. */
const SMALL = 1 / 8;

/** What the page of one reader may have: each holds one, also while it takes nothing. */
export const pageBytes = (readers: number, all = ALL_BYTES): number =>
  Math.min(PAGE_BYTES, all / Math.max(1, readers));

/**
 * How many events to ask for, so that pages of small ones are long and pages of large ones short.
 * With many readers all pages are shorter.
 */
export class PageSize {
  readonly #bytes: () => number;
  #limit: number;

  constructor(bytes: () => number = () => PAGE_BYTES) {
    this.#bytes = bytes;
    this.#limit = Math.max(1, Math.floor((FIRST * bytes()) / PAGE_BYTES));
  }

  get limit(): number {
    return this.#limit;
  }

  /** A page of so many bytes has come. */
  saw(bytes: number, full: boolean): void {
    const most = this.#bytes();
    if (bytes > most) this.#limit = Math.max(1, this.#limit >> 1);
    else if (full && bytes < most * SMALL) this.#limit = Math.min(MOST, this.#limit << 1);
  }
}
