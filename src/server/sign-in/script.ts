/**
 * Submits the code automatically if the server saw that the person opened the link, and removes the
 * code from the history. Without JavaScript the person submits it with the button, and the code stays
 * in the history. That does no harm, because it has been used.
 */
export const SCRIPT = `'use strict';
document.addEventListener('submit', ({ target }) => {
  if (location.search !== '') history.replaceState(null, '', location.pathname);
  const button = target.querySelector('button');
  // Runs after the form data has been collected.
  setTimeout(() => { button.disabled = true; button.textContent = button.dataset.busy || button.textContent; });
});
// If the person navigates back, the button must work again.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
document.addEventListener('DOMContentLoaded', () => {
  const byItself = document.querySelector('form[data-by-itself]');
  if (byItself !== null && !document.prerendering) byItself.requestSubmit();
});
`;
