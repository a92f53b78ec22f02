import { Caller } from '../api/caller.ts';
import { PEOPLE } from './setup.ts';

/** A user with a token of their own, and the caller that uses it. */
export interface Person {
  readonly name: string;
  readonly id: string;
  readonly caller: Caller;
}

/** Part of the name and every message of a session: it names the only people who may see it. */
export const markerOf = (owner: string, guest: string | null): string =>
  `seen-by-${owner}-${guest ?? 'nobody'}-`;

const MARKER = /seen-by-([a-z]+)-([a-z]+)-/g;

/** The first marker in a text that does not name this person. */
export function foreignIn(text: string, name: string): string | null {
  for (const [marker, owner, guest] of text.matchAll(MARKER)) {
    if (owner !== name && guest !== name) return marker;
  }
  return null;
}

/** Adds the people through the API, as an administrator. */
export async function addPeople(admin: Caller): Promise<Person[]> {
  const people: Person[] = [];
  for (const name of PEOPLE) {
    const user = await admin.insist('POST', '/api/v1/users', { name, role: 'operator' });
    const userId: unknown = user?.body?.id;
    const body = { name: 'chaos', userId, scopes: ['read', 'run'] };
    const token = await admin.insist('POST', '/api/v1/tokens', body);
    const secret: unknown = token?.body?.token;
    if (typeof userId !== 'string' || typeof secret !== 'string')
      throw new Error(`${name} could not be added: ${JSON.stringify([user, token])}`);
    const caller = new Caller(admin.urls, secret, (text) => foreignIn(text, name));
    people.push({ name, id: userId, caller });
  }
  return people;
}
