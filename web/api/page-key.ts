import { PAGE_KEY_HEADER, PAGE_KEY_NAME, PAGE_USER_NAME } from '../../src/contract/page-key.ts';
import { keep, kept } from '../state/stored.ts';

/* Who asks is said by the cookie and by this key together; the sign-in page has put it here. */

/** Another tab that signs in has its new cookie a moment before its new key, which all tabs then have. */
const HANDOVER_MS = 1000;

/** Whose page this is. Somebody else's sign-in gives it no key: it is loaded anew instead. */
const user = kept(PAGE_USER_NAME);
let key = kept(PAGE_KEY_NAME);

function currentKey(): string | null {
  if (user === null || kept(PAGE_USER_NAME) === user) key = kept(PAGE_KEY_NAME);
  return key;
}

export const hasPageKey = (): boolean => currentKey() !== null;

export const forgetPageKey = (): boolean => keep(PAGE_KEY_NAME, null);

/** Calls back when the same person has signed in, in another tab. */
export function onNewKey(listener: () => void, options?: AddEventListenerOptions): void {
  const hear = ({ key: name, newValue }: StorageEvent): void => {
    if (name === PAGE_KEY_NAME && newValue !== null && currentKey() === newValue) listener();
  };
  addEventListener('storage', hear, options);
}

/** What `fetch` does, with the key. */
export const fetchWithKey: typeof fetch = async (input, init) => {
  const sent = currentKey();
  const response = await fetch(input, withKey(init, sent));
  if (response.status !== 401 || !(await changes(sent))) return response;
  // Nothing was done for the one that was refused.
  return fetch(input, withKey(init, currentKey()));
};

function withKey(init: RequestInit | undefined, sent: string | null): RequestInit {
  const headers = new Headers(init?.headers);
  if (sent !== null) headers.set(PAGE_KEY_HEADER, sent);
  return { ...init, headers };
}

/** Whether there is another key than this one, or will be in a moment. */
function changes(sent: string | null): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = (hasChanged: boolean): void => {
      clearTimeout(timer);
      stop.abort();
      resolve(hasChanged);
    };
    const timer = setTimeout(() => end(false), HANDOVER_MS);
    onNewKey(() => end(true), { signal: stop.signal });
    const now = currentKey();
    if (now !== null && now !== sent) end(true);
  });
}
