import { keep, kept, parsed } from '../state/stored.ts';
import { EMPTY, type NewForm } from './form.ts';

/* What somebody has written of a session that is not made yet, in this tab. */

const nameOf = (userId: string): string => `baton.new-session/${userId}`;

export function readDraft(userId: string): Partial<NewForm> {
  const isOurs = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(EMPTY, name) && typeof value === typeof EMPTY[name as keyof NewForm];
  const fields = Object.entries(parsed(kept(nameOf(userId), 'tab')) ?? {});
  return Object.fromEntries(fields.filter(isOurs));
}

export function keepDraft(userId: string, form: Partial<NewForm>): void {
  const isEmpty = Object.keys(form).length === 0;
  keep(nameOf(userId), isEmpty ? null : JSON.stringify(form), 'tab');
}
