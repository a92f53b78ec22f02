import { PAGE_USER_NAME } from '../../src/contract/page-key.ts';
import { writeStored } from '../state/stored.ts';
import { queries } from './client.ts';
import { meQuery } from './queries.ts';

/*
 * Everything a page has loaded or drafted belongs to the user who was signed in when the page was
 * opened.
 */

/**
 * Reloads the page as soon as a different user signs in, in this tab or another one, so that
 * nothing from the previous user is shown or sent. Calls back once the user is known.
 */
export function watchCurrentUser(onKnown: (userId: string) => void): void {
  let me: string | null = null;
  const isMe = (id: string): boolean => {
    me ??= id;
    if (id === me) return true;
    location.reload();
    return false;
  };
  queries.getQueryCache().subscribe(({ query, type }) => {
    if (type !== 'updated' || query.queryKey[0] !== meQuery.queryKey[0]) return;
    const id = queries.getQueryData(meQuery.queryKey)?.user.id;
    const isFirst = me === null;
    if (id === undefined || !isMe(id) || !isFirst) return;
    writeStored(PAGE_USER_NAME, id);
    onKnown(id);
  });
  addEventListener('storage', ({ key, newValue }) => {
    if (key === PAGE_USER_NAME && newValue !== null && me !== null) isMe(newValue);
  });
  // The page was restored from the back/forward cache and may date from before a sign-out.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  void queries.prefetchQuery(meQuery);
}
