/**
 * Number of events on the first page. A payload is at most 256 KiB, so even the largest page is
 * small enough.
 */
const FIRST = 16;
const MOST = 256;
/** Approximate maximum size of a page, and of all pages of this process together. */
const PAGE_BYTES = 512 * 1024;
const ALL_BYTES = 32 * 1024 * 1024;
/** Below this share of the maximum size, pages get longer. */
const SMALL = 1 / 8;

/** Maximum page size per reader. Each reader holds one page even while it takes no events. */
export const pageBytes = (readers: number, all = ALL_BYTES): number =>
  Math.min(PAGE_BYTES, all / Math.max(1, readers));

/**
 * Chooses how many events to read, so pages of small events are long and pages of large ones short.
 * With many readers, all pages are shorter.
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

  /** Adapts to the size of the page that was just read. */
  saw(bytes: number, full: boolean): void {
    const most = this.#bytes();
    if (bytes > most) this.#limit = Math.max(1, this.#limit >> 1);
    else if (full && bytes < most * SMALL) this.#limit = Math.min(MOST, this.#limit << 1);
  }
}
