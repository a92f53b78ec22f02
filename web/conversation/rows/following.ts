/** Scroll position of an element. */
export type Position = Pick<Element, 'scrollTop' | 'scrollHeight' | 'clientHeight'>;

/** Scrolling this close to the end resumes following. */
const NEAR = 60;
/**
 * A gesture may keep scrolling this long after its last event, through momentum or smooth
 * scrolling.
 */
const GESTURE_MS = 400;

/**
 * Whether a conversation keeps its end in view. Rows, the queue and the phone's keyboard can change
 * height at any time, which pushes the end out of view or makes the browser scroll; following stops
 * only when the user scrolls up. Scrolling back to the end resumes following.
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

  /** Called when the wheel is turned up, or on a touch or key event that may scroll. */
  gesture(now: number): void {
    this.#gestureUntil = now + GESTURE_MS;
  }

  /** Whether a mouse button is down, for example on the scrollbar. */
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
