import { type RefObject, useEffect, useState } from 'react';

/* Which card a key means, and when it means it. */

export const PENDING_CARDS = '[data-approval="pending"]';

/** Less is not read. Letters that follow each other faster are a text, written in the wrong place. */
const CALM_MS = 500;

/**
 * A key means the card with the focus, if it is on the screen. Without one it answers nothing: the
 * first card gets the focus, and is looked at.
 */
export function isMeant(card: HTMLElement): boolean | 'focused' {
  const within = document.activeElement?.closest(PENDING_CARDS) ?? null;
  if (within !== null && within !== card) return false;
  if (within === card && isOnScreen(card)) return true;
  if (within === null && document.querySelector(PENDING_CARDS) !== card) return false;
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: 'nearest' });
  return 'focused';
}

function isOnScreen(card: HTMLElement): boolean {
  const { top, bottom } = card.getBoundingClientRect();
  return top < innerHeight && bottom > 0;
}

/** Whether the card has had the focus for a moment in which no key was pressed. */
export function useCalm(card: RefObject<HTMLElement | null>): boolean {
  const [isCalm, setIsCalm] = useState(false);
  useEffect(() => {
    const { current } = card;
    if (current === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const disturb = (): void => {
      clearTimeout(timer);
      setIsCalm(false);
      if (current.contains(document.activeElement)) {
        timer = setTimeout(() => setIsCalm(true), CALM_MS);
      }
    };
    // A key counts by the calm before it.
    const afterKey = (): void => {
      setTimeout(disturb);
    };
    disturb();
    // The focus is at its new place only after it has left the old one.
    current.addEventListener('focusin', disturb);
    current.addEventListener('focusout', afterKey);
    addEventListener('keydown', afterKey);
    return () => {
      clearTimeout(timer);
      current.removeEventListener('focusin', disturb);
      current.removeEventListener('focusout', afterKey);
      removeEventListener('keydown', afterKey);
    };
  }, [card]);
  return isCalm;
}
