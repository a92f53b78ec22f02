/* Which card a key means, when several are on the page. */

export const PENDING_CARDS = '[data-approval="pending"]';

/**
 * The card with the focus; without one, the only card of the page. With several none is meant: the
 * first gets the focus, and the next key means it.
 */
export function isMeant(card: HTMLElement): boolean | 'focused' {
  const within = document.activeElement?.closest(PENDING_CARDS) ?? null;
  if (within !== null) return within === card;
  const all = document.querySelectorAll<HTMLElement>(PENDING_CARDS);
  if (all.length === 1) return all[0] === card;
  if (all[0] !== card) return false;
  card.focus();
  return 'focused';
}
