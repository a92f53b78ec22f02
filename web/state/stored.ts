/*
 * What is kept in this browser, or in this tab of it. A full or forbidden store never breaks the page:
 * it only means that nothing is kept, and who has to say so can.
 */

type Where = 'browser' | 'tab';

/** Even to name a store can be forbidden. */
const storeOf = (where: Where): Storage => (where === 'tab' ? sessionStorage : localStorage);

/** Null and nothing forget it. Whether it worked. */
export function keep(name: string, value: string | null, where: Where = 'browser'): boolean {
  try {
    if (value === null || value === '') storeOf(where).removeItem(name);
    else storeOf(where).setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function kept(name: string, where: Where = 'browser'): string | null {
  try {
    return storeOf(where).getItem(name);
  } catch {
    return null;
  }
}

/** Names of what is kept that begin so. */
export function keptNames(start: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(start));
  } catch {
    return [];
  }
}

/** What was kept as JSON; undefined if there is none or it is broken. */
export function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
