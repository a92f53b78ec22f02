/*
 * Values stored in this browser or this tab. If storage is full or forbidden, the page still works:
 * nothing is stored, and the caller can say so.
 */

type Where = 'browser' | 'tab';

/** Even reading `localStorage` can throw. */
const storeOf = (where: Where): Storage => (where === 'tab' ? sessionStorage : localStorage);

/** Null and the empty string remove the value. Returns false if storage is full or forbidden. */
export function writeStored(name: string, value: string | null, where: Where = 'browser'): boolean {
  try {
    if (value === null || value === '') storeOf(where).removeItem(name);
    else storeOf(where).setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function readStored(name: string, where: Where = 'browser'): string | null {
  try {
    return storeOf(where).getItem(name);
  } catch {
    return null;
  }
}

/** The names of stored values that start with this prefix. */
export function storedNames(start: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(start));
  } catch {
    return [];
  }
}

/** A value stored as JSON; undefined if missing or broken. */
export function parseStored(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
