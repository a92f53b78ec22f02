import { EMPTY, type NewForm } from './form.ts';

/* What was written of a session that is not made yet, in this tab. */

const KEY = 'baton.new-session';

export function readDraft(): Partial<NewForm> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    const isOurs = ([name, value]: [string, unknown]): boolean =>
      Object.hasOwn(EMPTY, name) && typeof value === typeof EMPTY[name as keyof NewForm];
    return Object.fromEntries(Object.entries(kept).filter(isOurs));
  } catch {
    return {};
  }
}

export function keepDraft(form: Partial<NewForm>): void {
  if (Object.keys(form).length === 0) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(form));
}
