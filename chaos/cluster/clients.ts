import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../../test/support/seeded.ts';
import { Reader } from '../api/readers.ts';
import type { DrivenSession } from './driver.ts';
import { HintReader } from './hint-reader.ts';
import type { Person } from './people.ts';
import { READ_EVERY, RUN_READERS } from './setup.ts';

/** All clients that follow a stream through the load balancer and reconnect when it is cut off. */
export class Clients {
  readonly sessions: Reader[] = [];
  readonly runs: Reader[] = [];
  readonly hints: HintReader[] = [];
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed + 200);
  }

  get connects(): number {
    return this.#all.reduce((sum, { connects }) => sum + connects, 0);
  }

  get errors(): string[] {
    return this.#all.flatMap(({ errors }) => errors);
  }

  /** The number of open streams per session. */
  get expected(): Map<string, number> {
    const expected = new Map<string, number>();
    for (const { session, over } of this.#readers) {
      if (!over) expected.set(session, (expected.get(session) ?? 0) + 1);
    }
    return expected;
  }

  followHints(people: readonly Person[]): void {
    for (const person of people) this.hints.push(new HintReader(person, this.#seed()).start());
  }

  followSession({ n, id, owner }: DrivenSession): void {
    if (n % READ_EVERY !== 0) return;
    const { urls, token } = owner.caller;
    for (const kind of n % 2 === 0 ? (['sse', 'ws'] as const) : (['sse'] as const)) {
      const options = { session: id, kind, urls, token, seed: this.#seed() };
      this.sessions.push(new Reader(options).start());
    }
  }

  followRun({ id, owner }: DrivenSession, run: string): void {
    if (this.runs.filter(({ over }) => !over).length >= RUN_READERS) return;
    const { urls, token } = owner.caller;
    const options = { session: id, run, kind: 'sse' as const, urls, token, seed: this.#seed() };
    this.runs.push(new Reader(options).start());
  }

  calm(): void {
    for (const each of this.#all) each.calm();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((each) => each.stop()));
  }

  /** Gives them time to see everything; the rules check later whether they did. */
  async seeAll(
    sessions: readonly DrivenSession[],
    ends: Readonly<Record<string, number>>,
    ms: number,
  ): Promise<void> {
    const deadline = performance.now() + ms;
    const behind = (): boolean =>
      this.sessions.some(({ last, session }) => last < (ends[session] ?? 0)) ||
      this.runs.some(({ over }) => !over) ||
      // Only their own sessions: guests do not see the end of a session that is no longer shared.
      this.hints.some(({ person, known }) =>
        sessions.some(
          ({ id, owner }) => owner === person && (known.get(id) ?? 0) < (ends[id] ?? 0),
        ),
      );
    while (behind() && performance.now() < deadline) await delay(50);
  }

  get #readers(): Reader[] {
    return [...this.sessions, ...this.runs];
  }

  get #all(): (Reader | HintReader)[] {
    return [...this.#readers, ...this.hints];
  }

  #seed(): number {
    return Math.floor(this.#random() * 1e9);
  }
}
