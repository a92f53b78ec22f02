import type { Client } from '../../src/client/client.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/session.ts';
import { newKey } from '../parts/new-key.ts';
import type { SessionRequest } from './form.ts';
import { numbered } from './name.ts';

/* Creates a session from the form and sends its first message. */

type Api = Pick<Client, 'createSession' | 'listSessions' | 'putSessionRules' | 'sendMessage'>;

/** How many numbers to try if a generated name is taken. */
const NUMBERS_MAX = 50;
/** Maximum clock difference between browser and server. */
const CLOCKS_MS = 10 * 60_000;

/**
 * Remembers its progress, so that starting again after a failure continues from there and does not
 * create a second session or run.
 */
export class SessionStart {
  readonly #api: Api;
  readonly #newKey: () => string;
  #session: Session | null = null;
  /** Names for which a session may or may not have been created, and when that was tried. */
  readonly #unsure = new Map<string, number>();
  #sent: { readonly message: string; readonly key: string } | null = null;

  constructor(api: Api, makeKey: () => string = newKey) {
    this.#api = api;
    this.#newKey = makeKey;
  }

  /** The session already created, if a later step failed. */
  get session(): Session | null {
    return this.#session;
  }

  async go({ create, message, rules }: SessionRequest, madeUpName: boolean): Promise<Session> {
    this.#session ??= await this.#create(create, madeUpName);
    const session = this.#session;
    const params = { id: session.id };
    if (rules !== null) await this.#api.putSessionRules({ params, body: rules });
    if (this.#sent?.message !== message) this.#sent = { message, key: this.#newKey() };
    await this.#api.sendMessage({ params, body: { message } }, { idempotencyKey: this.#sent.key });
    return session;
  }

  async #create(request: SessionRequest['create'], madeUpName: boolean): Promise<Session> {
    for (let number = 1; ; number++) {
      const name = numbered(request.name, number);
      const triedAt = Date.now();
      try {
        return await this.#api.createSession({ body: { ...request, name } });
      } catch (error) {
        if (!isBatonError(error, 'name_taken')) {
          if (mayBeCreated(error) && !this.#unsure.has(name)) this.#unsure.set(name, triedAt);
          throw error;
        }
        const since = this.#unsure.get(name);
        const ours = since === undefined ? null : await this.#find(name, since);
        if (ours !== null) return ours;
        if (!madeUpName || number === NUMBERS_MAX) throw error;
      }
    }
  }

  /** The session that was created under this name since then and has no messages. */
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

/** The response may have been lost, but after a refusal nothing was created. */
const mayBeCreated = (error: unknown): boolean => !isBatonError(error) || error.status >= 500;
