import { createParser } from 'eventsource-parser';
import { seeded } from '../../test/support/seeded.ts';
import { sessionsBy } from '../api/drain.ts';
import type { Person } from './people.ts';

/**
 * Behaves like a page with a list of sessions: loads the list after connecting, follows the hints,
 * and does both again after a disconnection. What it knows must converge on the actual state.
 */
export class HintReader {
  readonly person: Person;
  /** The last known seq of each session. */
  readonly known = new Map<string, number>();
  readonly errors: string[] = [];
  connects = 0;
  hints = 0;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  #calm = false;
  #cutting: NodeJS.Timeout | undefined;
  /** Whether a load is under way, and whether another one was requested during it. */
  #loading = false;
  #loadAgain = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(person: Person, seed: number) {
    this.person = person;
    this.#random = seeded(seed);
  }

  start(): this {
    this.#ended = this.#follow();
    return this;
  }

  calm(): void {
    this.#calm = true;
    clearTimeout(this.#cutting);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#cutting);
    await this.#ended;
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const cut = new AbortController();
      clearTimeout(this.#cutting);
      const ms = 500 + this.#random() ** 2 * 10_000;
      if (!this.#calm) this.#cutting = setTimeout(() => cut.abort(), ms);
      // Reconnects after any error.
      await this.#read(AbortSignal.any([cut.signal, this.#stop.signal])).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50 + this.#random() * 300));
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { urls, token } = this.person.caller;
    const answer = await fetch(`${urls[0]}/api/v1/events`, {
      signal,
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status !== 200 || answer.body === null) {
      const text = await answer.text();
      if (answer.status !== 503) this.errors.push(`hints: ${answer.status} ${text}`);
      return;
    }
    this.connects++;
    void this.#load();
    const parser = createParser({ onEvent: ({ data }) => this.#take(JSON.parse(data)) });
    const decoder = new TextDecoder();
    for await (const piece of answer.body) parser.feed(decoder.decode(piece, { stream: true }));
  }

  #take(hint: { all?: true; sessionId: string; lastSeq: number }): void {
    this.hints++;
    if (hint.all === true) void this.#load();
    else this.#learn(hint.sessionId, hint.lastSeq);
  }

  async #load(): Promise<void> {
    this.#loadAgain = this.#loading;
    if (this.#loading) return;
    this.#loading = true;
    const sessions = await sessionsBy(this.person.caller);
    for (const { id, lastSeq } of sessions ?? []) this.#learn(id, lastSeq);
    this.#loading = false;
    // Also if there was no answer: the list must be loaded at some point.
    const again = this.#loadAgain || sessions === null;
    if (again && !this.#stop.signal.aborted) await this.#load();
  }

  #learn(session: string, seq: number): void {
    this.known.set(session, Math.max(seq, this.known.get(session) ?? 0));
  }
}
