import type { Client } from '../../src/client/client.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import { newKey } from '../parts/new-key.ts';
import type { Wanted } from './form.ts';
import { numbered } from './name.ts';

/* From a filled-in form to a session with its first message on the way. */

type Api = Pick<Client, 'createSession' | 'listSessions' | 'putSessionRules' | 'sendMessage'>;

/** A name that was made up gets a number if there is one like it; so many are tried. */
const NUMBERS_MAX = 50;
/** So much may the clocks here and there differ. */
const CLOCKS_MS = 10 * 60_000;

/**
 * Remembers how far it came: whatever fails on the way, another try goes on from there and makes no
 * second session and no second run.
 */
export class SessionStart {
  readonly #api: Api;
  readonly #newKey: () => string;
  #session: Session | null = null;
  /** Names of which it is not known whether the server has made a session, and since when. */
  readonly #unsure = new Map<string, number>();
  #sent: { readonly message: string; readonly key: string } | null = null;

  constructor(api: Api, makeKey: () => string = newKey) {
    this.#api = api;
    this.#newKey = makeKey;
  }

  /** The session that is there already, if a later step failed. */
  get session(): Session | null {
    return this.#session;
  }

  async go({ create, message, rules }: Wanted, madeUpName: boolean): Promise<Session> {
    this.#session ??= await this.#create(create, madeUpName);
    const session = this.#session;
    const params = { id: session.id };
    if (rules !== null) await this.#api.putSessionRules({ params, body: rules });
    if (this.#sent?.message !== message) this.#sent = { message, key: this.#newKey() };
    await this.#api.sendMessage({ params, body: { message } }, { idempotencyKey: this.#sent.key });
    return session;
  }

  async #create(wanted: Wanted['create'], madeUpName: boolean): Promise<Session> {
    for (let number = 1; ; number++) {
      const name = numbered(wanted.name, number);
      const triedAt = Date.now();
      try {
        return await this.#api.createSession({ body: { ...wanted, name } });
      } catch (error) {
        if (!isBatonError(error, 'name_taken')) {
          if (mayBeMade(error) && !this.#unsure.has(name)) this.#unsure.set(name, triedAt);
          throw error;
        }
        const since = this.#unsure.get(name);
        const ours = since === undefined ? null : await this.#find(name, since);
        if (ours !== null) return ours;
        if (!madeUpName || number === NUMBERS_MAX) throw error;
      }
    }
  }

  /** The session that was made since then, and to which nobody has said anything. */
  async #find(name: string, since: number): Promise<Session | null> {
    const { items } = await this.#api.listSessions({ query: { name, limit: 200 } });
    const fresh = items.find(
      (each) =>
        each.name === name &&
        each.level === 'own' &&
        each.lastResponse === null &&
        each.unfinishedRuns === 0 &&
        Date.parse(each.createdAt) > since - CLOCKS_MS,
    );
    return fresh ?? null;
  }
}

/** Only the answer may be lost; where the server has refused, nothing was made. */
const mayBeMade = (error: unknown): boolean => !isBatonError(error) || error.status >= 500;
