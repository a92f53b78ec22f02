/**
 * Sends the form with the code by itself where the server has seen that the person opened the link,
 * and takes the code out of the history. Without it the button does the same, but for the history,
 * where a code that was used is worth nothing.
 */
export const SCRIPT = `'use strict';
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', () => {
    if (location.search !== '') history.replaceState(null, '', location.pathname);
    const button = form.querySelector('button');
    // After the form was put together.
    setTimeout(() => { button.disabled = true; button.textContent = button.dataset.busy || button.textContent; });
  });
}
// One who comes back finds a button that works.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
const byItself = document.querySelector('form[data-by-itself]');
if (byItself !== null && !document.prerendering) byItself.requestSubmit();
`;
