/*
 * The second secret of a signed-in browser. Browsers send a cookie to every port of a host, but only
 * pages of the same origin can read local storage, so a stolen cookie is useless without this key.
 */

/** Sent with every request from the page. */
export const PAGE_KEY_HEADER = 'x-baton-page-key';

/** Its name in `localStorage`, which all tabs of the origin share. */
export const PAGE_KEY_NAME = 'baton.page-key';

/** The name under which `localStorage` keeps its user's id. */
export const PAGE_USER_NAME = 'baton.user';
