import type { RunRecord } from './records.ts';

/**
 * Runs that begin leave a gap at the front, which is closed once it exceeds both this size and half
 * the array.
 */
const HOLE_MAX = 64;

const positionOf = (run: RunRecord): number => run.core.position ?? 0;

/**
 * The queued runs of one lane by position. Adding at the end and removing at the front are O(1).
 */
export class LaneQueue {
  #items: (RunRecord | undefined)[] = [];
  #front = 0;

  get length(): number {
    return this.#items.length - this.#front;
  }

  at(index: number): RunRecord | undefined {
    return this.#items[this.#front + index];
  }

  add(run: RunRecord): void {
    if (this.length === 0) {
      // The array is created with its first run, because most lanes have one run at a time, and
      // pushing to an empty array reserves room for 17.
      this.#items = [run];
      return;
    }
    const last = this.at(this.length - 1);
    if (last === undefined || positionOf(last) < positionOf(run)) {
      this.#items.push(run);
      return;
    }
    const index = this.indexFrom(positionOf(run));
    if (index === 0 && this.#front > 0) this.#items[--this.#front] = run;
    else this.#items.splice(this.#front + index, 0, run);
  }

  remove(run: RunRecord): void {
    const index = this.indexFrom(positionOf(run));
    if (this.at(index) !== run) throw new Error('the run is not in its lane');
    if (index > 0) {
      this.#items.splice(this.#front + index, 1);
      return;
    }
    this.#items[this.#front++] = undefined;
    if (this.#front === this.#items.length) {
      this.#items = [];
      this.#front = 0;
    } else if (this.#front > HOLE_MAX && this.#front * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#front);
      this.#front = 0;
    }
  }

  /** How many runs have a smaller position. */
  indexFrom(position: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (positionOf(this.at(middle) as RunRecord) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
