import type { Client } from '../../src/client/client.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import type { Wanted } from './form.ts';
import { numbered } from './name.ts';

/* From a filled-in form to a session with its first message on the way. */

type Api = Pick<Client, 'createSession' | 'listSessions' | 'putSessionRules' | 'sendMessage'>;

/** A name that was made up gets a number if there is one like it; so many are tried. */
const NUMBERS_MAX = 50;

/**
 * Remembers how far it came: whatever fails on the way, another try goes on from there and makes no
 * second session and no second run.
 */
export class SessionStart {
  readonly #api: Api;
  readonly #newKey: () => string;
  #session: Session | null = null;
  /** Names of which it is not known whether the server has made a session. */
  readonly #unsure = new Set<string>();
  #sent: { readonly message: string; readonly key: string } | null = null;

  constructor(api: Api, newKey: () => string = () => crypto.randomUUID()) {
    this.#api = api;
    this.#newKey = newKey;
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
      try {
        return await this.#api.createSession({ body: { ...wanted, name } });
      } catch (error) {
        if (!isBatonError(error, 'name_taken')) {
          // It may have been made, and only the answer was lost.
          this.#unsure.add(name);
          throw error;
        }
        const ours = this.#unsure.has(name) ? await this.#find(name) : null;
        if (ours !== null) return ours;
        if (!madeUpName || number === NUMBERS_MAX) throw error;
      }
    }
  }

  async #find(name: string): Promise<Session | null> {
    const { items } = await this.#api.listSessions({ query: { name, limit: 200 } });
    const fresh = items.find(
      (each) => each.name === name && each.level === 'own' && each.lastResponse === null,
    );
    return fresh ?? null;
  }
}
