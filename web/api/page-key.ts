import { PAGE_KEY_HEADER, PAGE_KEY_NAME, PAGE_USER_NAME } from '../../src/contract/page-key.ts';
import { readStored, writeStored } from '../state/stored.ts';

/* Cookie and page key together identify the user; the sign-in page stored the key here. */

/**
 * A tab that signs in gets its new cookie a moment before its new key, which all tabs then share.
 */
const HANDOVER_MS = 1000;

/**
 * The user this page belongs to. If another user signs in, the page does not get their key: it
 * reloads instead.
 */
const user = readStored(PAGE_USER_NAME);
let key = readStored(PAGE_KEY_NAME);

function currentKey(): string | null {
  if (user === null || readStored(PAGE_USER_NAME) === user) key = readStored(PAGE_KEY_NAME);
  return key;
}

export const hasPageKey = (): boolean => currentKey() !== null;

export const forgetPageKey = (): boolean => writeStored(PAGE_KEY_NAME, null);

/** Calls back when the same user signs in again in another tab. */
export function onNewKey(listener: () => void, options?: AddEventListenerOptions): void {
  const onStorage = ({ key: name, newValue }: StorageEvent): void => {
    if (name === PAGE_KEY_NAME && newValue !== null && currentKey() === newValue) listener();
  };
  addEventListener('storage', onStorage, options);
}

/** `fetch` with the page key. */
export const fetchWithKey: typeof fetch = async (input, init) => {
  const sent = currentKey();
  const response = await fetch(input, withKey(init, sent));
  if (response.status !== 401 || !(await changes(sent))) return response;
  // The refused request had no effect, so it is safe to repeat.
  return fetch(input, withKey(init, currentKey()));
};

function withKey(init: RequestInit | undefined, sent: string | null): RequestInit {
  const headers = new Headers(init?.headers);
  if (sent !== null) headers.set(PAGE_KEY_HEADER, sent);
  return { ...init, headers };
}

/** Whether the key has changed or is about to. */
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
