/** A small seeded generator (mulberry32): the same seed always gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not start with similar numbers.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    this.next();
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  from<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  chance(part: number): boolean {
    return this.next() < part;
  }
}

/** FNV-1a over texts, to compare two traces without keeping them. */
export class TraceHash {
  #value = 0x811c9dc5;

  add(text: string): void {
    let value = this.#value;
    for (let i = 0; i < text.length; i++) {
      value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    }
    this.#value = value >>> 0;
  }

  toString(): string {
    return this.#value.toString(16).padStart(8, '0');
  }
}
