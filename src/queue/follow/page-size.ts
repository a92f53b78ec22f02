/** Events of the first page; a payload has at most 256 KiB, so even the worst one is bearable. */
const FIRST = 16;
const MOST = 256;
/** Pages are made larger below the first and smaller above the second. */
const SMALL_BYTES = 64 * 1024;
const LARGE_BYTES = 512 * 1024;

/** How many events to ask for, so that pages of small ones are long and pages of large ones short. */
export class PageSize {
  #limit = FIRST;

  get limit(): number {
    return this.#limit;
  }

  /** A page of so many bytes has come. */
  saw(bytes: number, full: boolean): void {
    if (bytes > LARGE_BYTES) this.#limit = Math.max(1, this.#limit >> 1);
    else if (full && bytes < SMALL_BYTES) this.#limit = Math.min(MOST, this.#limit << 1);
  }
}
