import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../../test/support/seeded.ts';
import type { Answer, Caller } from './caller.ts';
import type { Request } from './check/evidence.ts';
import { commandOf, type Kind, kindOf } from './command.ts';
import { FIRST_SESSIONS, LONELY, MOST_SESSIONS } from './setup.ts';

export interface DrivenSession {
  readonly id: string;
  readonly path: string;
  readonly lonely: boolean;
  /** Acknowledged runs that are not known to be removed. */
  readonly runs: string[];
}

/** How long to repeat a message without an answer after the faults have ended. */
const LAST_TRIES_MS = 30_000;

/** The errors that each kind of request may get. */
const REFUSALS: Record<string, readonly string[]> = {
  create: ['name_taken'],
  send: ['session_ended', 'session_busy', 'cannot_steer', 'idempotency_conflict'],
  edit: ['run_not_queued', 'not_found'],
  move: ['run_not_queued', 'not_found', 'invalid_request'],
  remove: ['run_not_queued', 'not_found'],
  cancel: ['run_finished', 'not_found'],
  retry: ['run_not_finished', 'not_found', 'session_ended'],
  act: ['session_state', 'session_busy'],
  read: ['not_found'],
};

/** Uses the API as impatient people and programs do, following a seeded plan. */
export class Driver {
  readonly sessions: DrivenSession[] = [];
  readonly requests: Request[] = [];
  readonly errors: string[] = [];
  /** Runs that the driver tried to remove. */
  readonly removed: string[] = [];
  readonly #caller: Caller;
  readonly #directory: string;
  readonly #random: () => number;
  readonly #onSession: (session: DrivenSession) => void;
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;
  #stoppedAt = Number.POSITIVE_INFINITY;
  #names = 0;

  constructor(
    caller: Caller,
    directory: string,
    seed: number,
    onSession: (session: DrivenSession) => void,
  ) {
    this.#caller = caller;
    this.#directory = directory;
    this.#random = seeded(seed + 100);
    this.#onSession = onSession;
  }

  async prepare(): Promise<void> {
    for (let i = 0; i < FIRST_SESSIONS; i++) await this.#create(i < LONELY);
    for (const session of this.sessions) await this.#send(session, 'quick');
  }

  /** Resolves after `stop`, when all operations under way have ended. */
  async run(rate: number): Promise<void> {
    while (!this.#stopped) {
      await delay((1000 / rate) * 2 * this.#random());
      // More at once would only pile up while the servers are down.
      if (this.#underWay.size >= 24) continue;
      const doing = this.#act().catch((error: unknown) => {
        this.errors.push(`the driver: ${String(error)}`);
      });
      this.#underWay.add(doing);
      void doing.then(() => this.#underWay.delete(doing));
    }
    await Promise.all(this.#underWay);
  }

  stop(): void {
    this.#stopped = true;
    this.#stoppedAt = performance.now();
  }

  async #act(): Promise<void> {
    const random = this.#random;
    const what = random();
    const session = this.#pick();
    const run = session.runs.at(-1 - Math.floor(random() ** 2 * session.runs.length));
    if (what < 0.02 && this.sessions.length < MOST_SESSIONS) return this.#create(false);
    if (what < 0.5 || run === undefined) return this.#send(session, kindOf(random()));
    if (what < 0.58) return this.#onRun('cancel', run, 'POST', '/cancel');
    if (what < 0.66) return this.#edit(session, run);
    if (what < 0.72)
      return this.#onRun('move', run, 'PATCH', '', { before: this.#before(session) });
    if (what < 0.77) return this.#remove(run);
    if (what < 0.8) return this.#retry(session, run);
    if (what < 0.84) return this.#onSessionDo(session, 'hold');
    if (what < 0.92) return this.#onSessionDo(session, 'resume');
    if (what < 0.935) return this.#onSessionDo(session, 'terminate');
    if (what < 0.96) return this.#onSessionDo(session, 'reopen');
    if (what < 0.965) return this.#onSessionDo(session, 'complete');
    if (what < 0.98) return this.#visit(session);
    return this.#onRun('read', run, 'GET', '');
  }

  #pick(): DrivenSession {
    const among = this.sessions.filter(({ lonely }) => lonely === this.#random() < 0.03);
    return (among.length > 0 ? among : this.sessions)[
      Math.floor(this.#random() * (among.length || this.sessions.length))
    ]!;
  }

  #before(session: DrivenSession): string | null {
    if (this.#random() < 0.3) return null;
    return session.runs.at(-1 - Math.floor(this.#random() * 4)) ?? null;
  }

  async #create(lonely: boolean): Promise<void> {
    const n = this.#names++;
    const path = join(this.#directory, `workspace-${n}`);
    mkdirSync(path);
    const body = {
      name: `chaos-${n}`,
      agent: { kind: 'shell' },
      workspace: { provider: 'directory', path },
      holdOnFailure: this.#random() < 0.5,
      idleTimeoutSeconds: lonely ? 1 : 0,
    };
    for (let slot = 0; !this.#givenUp(); slot++) {
      const answer = await this.#caller.call('POST', '/api/v1/sessions', body, { slot });
      this.#judge('create', answer);
      // The session was created, but the answer was lost.
      const id: unknown =
        answer?.code === 'name_taken'
          ? (
              await this.#caller.insist('GET', `/api/v1/sessions/search?name=${body.name}`)
            )?.body?.find(({ name }: { name: string }) => name === body.name)?.id
          : answer?.body?.id;
      if (typeof id === 'string') {
        const session = { id, path, lonely, runs: [] };
        this.sessions.push(session);
        this.#onSession(session);
        return;
      }
      await delay(100);
    }
  }

  async #send(session: DrivenSession, kind: Kind): Promise<void> {
    const random = this.#random;
    const n = this.requests.length;
    const how = random();
    const onBusy =
      how < 0.05 ? 'reject' : how < 0.1 ? 'interrupt' : how < 0.12 ? 'steer' : 'enqueue';
    const keyed = random() < 0.85;
    const [hasty, again, other, later] = [random(), random(), random(), random()];
    // A message that steers a running agent cannot be delayed.
    const isLater = later < 0.05 && onBusy !== 'steer';
    const body = {
      message: commandOf(n, kind, 1 + Math.floor(random() * 12)),
      onBusy,
      ...(isLater ? { runAt: new Date(Date.now() + later * 40_000).toISOString() } : {}),
    };
    const key = keyed ? `key-${n}` : null;
    const request = { n, key, session: session.id, acknowledged: [] as string[] };
    this.requests.push({ ...request, outOfTurn: onBusy === 'interrupt' || isLater });
    const { acknowledged } = request;
    const note = (answer: Answer | null): boolean => {
      this.#judge('send', answer);
      const id: unknown = answer?.body?.runId;
      if (typeof id !== 'string') return answer !== null;
      if (!acknowledged.includes(id)) acknowledged.push(id);
      if (!session.runs.includes(id)) session.runs.push(id);
      if (session.runs.length > 30) session.runs.shift();
      return true;
    };
    const path = `/api/v1/sessions/${session.id}/messages`;
    for (let slot = Math.floor(random() * 2), tries = 0; !this.#givenUp(); slot++, tries++) {
      // Some callers give up before an answer is possible.
      const patienceMs = tries === 0 && keyed && hasty < 0.15 ? 1 + hasty * 200 : undefined;
      const options = {
        slot,
        ...(key === null ? {} : { key }),
        ...(patienceMs === undefined ? {} : { patienceMs }),
      };
      if (note(await this.#caller.call('POST', path, body, options)) || key === null) break;
      await delay(50 + tries * 50);
    }
    if (key !== null && acknowledged.length > 0 && again < 0.15) {
      note(await this.#caller.call('POST', path, body, { slot: n, key }));
    }
    if (key !== null && acknowledged.length > 0 && other < 0.05) {
      // Another body under the same key is refused, unless the run has been removed.
      const changed = { ...body, message: `${body.message}\n:` };
      const answer = await this.#caller.call('POST', path, changed, { slot: n, key });
      if (answer?.status === 202 && !this.removed.includes(acknowledged[0]!)) {
        this.errors.push(`key ${key} was accepted with another body`);
      }
      note(answer);
    }
    const last = acknowledged.at(-1);
    if (kind === 'endless' && last !== undefined) await this.#endEndless(last);
  }

  /** Otherwise endless runs would take all slots. */
  async #endEndless(run: string): Promise<void> {
    await delay(500 + this.#random() * 3000);
    const answer = await this.#caller.insist('POST', `/api/v1/runs/${run}/cancel`);
    this.#judge('cancel', answer);
  }

  async #edit(session: DrivenSession, run: string): Promise<void> {
    const n = this.requests.length;
    const message = commandOf(n, 'quick', 1);
    const key = null;
    const request = { n, key, session: session.id, acknowledged: [], outOfTurn: false };
    // The edit has its own number, which distinguishes its trace from the original one.
    this.requests.push(request);
    await this.#onRun('edit', run, 'PATCH', '', { message });
  }

  async #remove(run: string): Promise<void> {
    this.removed.push(run);
    await this.#onRun('remove', run, 'DELETE', '');
  }

  async #retry(session: DrivenSession, run: string): Promise<void> {
    const answer = await this.#onRunAnswer('retry', run, 'POST', '/retry');
    const id: unknown = answer?.body?.id;
    if (typeof id === 'string') session.runs.push(id);
  }

  async #onRun(
    what: string,
    run: string,
    method: string,
    way: string,
    body?: unknown,
  ): Promise<void> {
    await this.#onRunAnswer(what, run, method, way, body);
  }

  async #onRunAnswer(what: string, run: string, method: string, way: string, body?: unknown) {
    const slot = Math.floor(this.#random() * 2);
    const answer = await this.#caller.call(method, `/api/v1/runs/${run}${way}`, body, { slot });
    this.#judge(what, answer);
    return answer;
  }

  async #onSessionDo({ id }: DrivenSession, action: string): Promise<void> {
    const slot = Math.floor(this.#random() * 2);
    const path = `/api/v1/sessions/${id}/${action}`;
    this.#judge('act', await this.#caller.call('POST', path, undefined, { slot }));
  }

  /** Opens a stream and closes it again. */
  async #visit({ id }: DrivenSession): Promise<void> {
    const { urls, token } = this.#caller;
    const url = urls[Math.floor(this.#random() * urls.length)]!;
    await fetch(`${url}/api/v1/sessions/${id}/events`, {
      signal: AbortSignal.timeout(Math.ceil(1 + this.#random() * 500)),
      headers: { authorization: `Bearer ${token}` },
    })
      .then((answer) => answer.text())
      .catch(() => {});
  }

  #judge(what: string, answer: Answer | null): void {
    if (answer === null || answer.code === null || REFUSALS[what]?.includes(answer.code)) return;
    this.errors.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  #givenUp(): boolean {
    return performance.now() > this.#stoppedAt + LAST_TRIES_MS;
  }
}
