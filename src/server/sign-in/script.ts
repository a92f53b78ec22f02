/**
 * Sends the form with the code by itself where the server has seen that the person opened the link,
 * and takes the code out of the history. Without scripts the button does the same, except that the code
 * stays in the history, where a used code is worth nothing.
 */
export const SCRIPT = `'use strict';
document.addEventListener('submit', ({ target }) => {
  if (location.search !== '') history.replaceState(null, '', location.pathname);
  const button = target.querySelector('button');
  // After the form was put together.
  setTimeout(() => { button.disabled = true; button.textContent = button.dataset.busy || button.textContent; });
});
// One who comes back finds a button that works.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
document.addEventListener('DOMContentLoaded', () => {
  const byItself = document.querySelector('form[data-by-itself]');
  if (byItself !== null && !document.prerendering) byItself.requestSubmit();
});
`;
