/*
 * The second secret of a signed-in browser. Browsers send a cookie to every port of a host, but the
 * storage of a page is of its own origin alone: so a cookie is worth nothing without this.
 */

/** Goes with every request of the page. */
export const PAGE_KEY_HEADER = 'x-baton-page-key';

/** Its name in `localStorage`, which all tabs of the origin share. */
export const PAGE_KEY_NAME = 'baton.page-key';

/** The name there of whose it is: the user's id. */
export const PAGE_USER_NAME = 'baton.user';
