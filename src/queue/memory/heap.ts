/** An item in a heap, which writes the item's index into `slot` so that any item can be removed. */
export interface Slotted {
  slot: number;
}

/** A binary heap with the least item first; adding and removing any item takes O(log n). */
export class Heap<T extends Slotted> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    item.slot = this.#items.length;
    this.#items.push(item);
    this.#up(item);
  }

  /** The item must be in this heap, and its order must not have changed since it was added. */
  remove(item: T): void {
    const { slot } = item;
    const last = this.#items.pop();
    item.slot = -1;
    if (last === undefined || last === item) return;
    this.#items[slot] = last;
    last.slot = slot;
    this.#up(last);
    this.#down(last);
  }

  #up(item: T): void {
    let { slot } = item;
    while (slot > 0) {
      const above = (slot - 1) >> 1;
      const parent = this.#items[above] as T;
      if (this.#compare(item, parent) >= 0) break;
      this.#items[slot] = parent;
      parent.slot = slot;
      slot = above;
    }
    this.#items[slot] = item;
    item.slot = slot;
  }

  #down(item: T): void {
    let { slot } = item;
    const { length } = this.#items;
    for (;;) {
      let below = 2 * slot + 1;
      if (below >= length) break;
      const right = below + 1;
      if (right < length && this.#compare(this.#items[right] as T, this.#items[below] as T) < 0) {
        below = right;
      }
      const child = this.#items[below] as T;
      if (this.#compare(child, item) >= 0) break;
      this.#items[slot] = child;
      child.slot = slot;
      slot = below;
    }
    this.#items[slot] = item;
    item.slot = slot;
  }
}
