import { PAGE_USER_NAME } from '../../src/contract/page-key.ts';
import { keep } from '../state/stored.ts';
import { queries } from './client.ts';
import { meQuery } from './queries.ts';

/* What a page has loaded and what is written on it belong to who was signed in when it was opened. */

/**
 * Begins a new page as soon as somebody else is signed in, in this tab or in another one: nothing of
 * the one before is shown or sent any more. Calls back once it is known who it is.
 */
export function watchWho(onKnown: (userId: string) => void): void {
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
    keep(PAGE_USER_NAME, id);
    onKnown(id);
  });
  addEventListener('storage', ({ key, newValue }) => {
    if (key === PAGE_USER_NAME && newValue !== null && me !== null) isMe(newValue);
  });
  // A page that the browser had put aside as it was, such as before a sign-out.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  void queries.prefetchQuery(meQuery);
}
