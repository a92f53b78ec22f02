import { Caller } from '../api/caller.ts';
import { PEOPLE } from './setup.ts';

/** A user with a token of their own, and what they call with it. */
export interface Person {
  readonly name: string;
  readonly id: string;
  readonly caller: Caller;
}

/** Stands in the name and in every message of a session: who may see it, and nobody else. */
export const markerOf = (owner: string, guest: string | null): string =>
  `seen-by-${owner}-${guest ?? 'nobody'}-`;

const MARKER = /seen-by-([a-z]+)-([a-z]+)-/g;

/** The first marker in a text that is none of this person's. */
export function foreignIn(text: string, name: string): string | null {
  for (const [marker, owner, guest] of text.matchAll(MARKER)) {
    if (owner !== name && guest !== name) return marker;
  }
  return null;
}

/** Adds the people by the API, as an administrator does. */
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
