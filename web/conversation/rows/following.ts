/** Where a box that scrolls stands. */
export type Position = Pick<Element, 'scrollTop' | 'scrollHeight' | 'clientHeight'>;

/** Who comes so near to the end again has come back to it. */
const NEAR = 60;
/** After its last event a gesture still moves the page: by momentum, or smoothly by a key. */
const GESTURE_MS = 400;

/**
 * Whether a conversation follows its end. Rows, the queue and the keyboard of a phone change heights at
 * any time, so that the end moves away, or the browser moves the page, without anybody's doing; only a
 * person who scrolls up stops it. Coming back to the end resumes it.
 */
export class Following {
  #isOn = true;
  #isHeld = false;
  #gestureUntil = 0;
  #top = 0;

  get isOn(): boolean {
    return this.#isOn;
  }

  set(isOn: boolean): void {
    this.#isOn = isOn;
  }

  /** A wheel is turned up, a finger or a key moves something. */
  gesture(now: number): void {
    this.#gestureUntil = now + GESTURE_MS;
  }

  /** Whether a button of the mouse is down, such as on the scrollbar. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  scrolled({ scrollTop, scrollHeight, clientHeight }: Position, now: number): void {
    const gap = scrollHeight - clientHeight - scrollTop;
    const before = this.#top;
    this.#top = scrollTop;
    if (gap <= 1 || (scrollTop > before && gap <= NEAR)) this.#isOn = true;
    else if (scrollTop < before && (this.#isHeld || now < this.#gestureUntil)) {
      this.#isOn = false;
      this.gesture(now);
    }
  }
}
