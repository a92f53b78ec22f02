import { PAGE_KEY_HEADER, PAGE_KEY_NAME } from '../../src/contract/page-key.ts';
import { keep, kept } from '../parts/stored.ts';

/* Who asks is said by the cookie and by this key together; the sign-in page has put it here. */

/** Another tab that signs in has its new cookie a moment before its new key, which all tabs then have. */
const HANDOVER_MS = 1000;

export const hasPageKey = (): boolean => kept(PAGE_KEY_NAME) !== null;

export const forgetPageKey = (): boolean => keep(PAGE_KEY_NAME, null);

/** Calls back when another tab has signed in. */
export function onNewKey(listener: () => void, options?: AddEventListenerOptions): void {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (key === PAGE_KEY_NAME && newValue !== null) listener();
  };
  addEventListener('storage', hear, options);
}

/** What `fetch` does, with the key. */
export const fetchWithKey: typeof fetch = async (input, init) => {
  const key = kept(PAGE_KEY_NAME);
  const response = await fetch(input, withKey(init, key));
  if (response.status !== 401 || !(await changes(key))) return response;
  // Nothing was done for the one that was refused.
  return fetch(input, withKey(init, kept(PAGE_KEY_NAME)));
};

function withKey(init: RequestInit | undefined, key: string | null): RequestInit {
  const headers = new Headers(init?.headers);
  if (key !== null) headers.set(PAGE_KEY_HEADER, key);
  return { ...init, headers };
}

/** Whether there is another key than this one, or will be in a moment. */
function changes(key: string | null): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = (hasChanged: boolean): void => {
      clearTimeout(timer);
      stop.abort();
      resolve(hasChanged);
    };
    const timer = setTimeout(() => end(false), HANDOVER_MS);
    onNewKey(() => end(true), { signal: stop.signal });
    const now = kept(PAGE_KEY_NAME);
    if (now !== null && now !== key) end(true);
  });
}
