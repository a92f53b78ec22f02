/*
 * The second secret of a signed-in browser. Browsers send a cookie to every port of a host, but only
 * pages of the same origin can read local storage, so a stolen cookie is useless without this key.
 */

/** The header in which the page sends the key with every request. */
export const PAGE_KEY_HEADER = 'x-baton-page-key';

/** The key's name in `localStorage`, which all tabs of the origin share. */
export const PAGE_KEY_NAME = 'baton.page-key';

/** The name of the `localStorage` entry that contains the id of the key's user. */
export const PAGE_USER_NAME = 'baton.user';
