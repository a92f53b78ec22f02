import { parseStored, readStored, writeStored } from '../state/stored.ts';
import { EMPTY, type NewForm } from './form.ts';

/* The draft of the new-session form, in this tab. */

const nameOf = (userId: string): string => `baton.new-session/${userId}`;

export function readDraft(userId: string): Partial<NewForm> {
  const isOurs = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(EMPTY, name) && typeof value === typeof EMPTY[name as keyof NewForm];
  const fields = Object.entries(parseStored(readStored(nameOf(userId), 'tab')) ?? {});
  return Object.fromEntries(fields.filter(isOurs));
}

export function keepDraft(userId: string, form: Partial<NewForm>): void {
  const isEmpty = Object.keys(form).length === 0;
  writeStored(nameOf(userId), isEmpty ? null : JSON.stringify(form), 'tab');
}
