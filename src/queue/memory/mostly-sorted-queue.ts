import { Heap, type Slotted } from './heap.ts';

/**
 * Removed items leave a gap at the front, which is closed once it exceeds both this size and half
 * the array.
 */
const HOLE_MAX = 1024;

/**
 * A priority queue, least item first, for items that mostly arrive in order: items that do are put
 * into an array, and only the rest into a heap. Adding in order and removing at the front take
 * constant time.
 */
export class MostlySortedQueue<T extends Slotted> {
  readonly #compare: (a: T, b: T) => number;
  readonly #others: Heap<T>;
  #items: (T | undefined)[] = [];
  /** How many slots were removed from the front; the item in slot n has the index n - closed. */
  #closed = 0;
  #front = 0;
  #count = 0;
  #last: T | undefined;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
    this.#others = new Heap(compare);
  }

  get size(): number {
    return this.#count + this.#others.size;
  }

  peek(): T | undefined {
    const other = this.#others.peek();
    const first = this.#items[this.#front];
    if (first === undefined || other === undefined) return first ?? other;
    return this.#compare(first, other) < 0 ? first : other;
  }

  add(item: T): void {
    if (this.#last !== undefined && this.#compare(item, this.#last) < 0) {
      this.#others.add(item);
      return;
    }
    item.slot = this.#closed + this.#items.length;
    this.#items.push(item);
    this.#last = item;
    this.#count++;
  }

  /** The item must be in this queue, and its order must not have changed since it was added. */
  remove(item: T): void {
    const index = item.slot - this.#closed;
    if (this.#items[index] !== item) {
      this.#others.remove(item);
      return;
    }
    this.#items[index] = undefined;
    item.slot = -1;
    this.#count--;
    if (this.#count === 0) this.#clear();
    else this.#closeUp();
  }

  #clear(): void {
    this.#closed += this.#items.length;
    this.#items = [];
    this.#front = 0;
    this.#last = undefined;
  }

  /** Drops removed slots at both ends, so that the first and the last slot hold items. */
  #closeUp(): void {
    while (this.#items[this.#front] === undefined) this.#front++;
    while (this.#items.at(-1) === undefined) this.#items.pop();
    this.#last = this.#items.at(-1);
    if (this.#front <= HOLE_MAX || this.#front * 2 <= this.#items.length) return;
    this.#items = this.#items.slice(this.#front);
    this.#closed += this.#front;
    this.#front = 0;
  }
}
