import { type RefObject, useEffect, useState } from 'react';

/* Which card a shortcut key acts on, and when. */

export const PENDING_CARDS = '[data-approval="pending"]';

/**
 * Minimum pause before a key is accepted. Faster key presses are probably text typed in the wrong
 * place.
 */
const CALM_MS = 500;

/**
 * A key acts on the focused card if it is visible. If no card has the focus, the key does nothing
 * except give the first card the focus so that the user can read it.
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

/** Whether the card has had the focus for a moment with no key pressed. */
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
    // A key press is judged by the pause before it.
    const afterKey = (): void => {
      setTimeout(disturb);
    };
    disturb();
    // `focusin` fires on the new element only after the focus has left the old one.
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
