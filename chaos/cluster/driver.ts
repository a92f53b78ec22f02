import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../../test/support/seeded.ts';
import type { Answer, Caller } from '../api/caller.ts';
import type { Request } from '../api/check/evidence.ts';
import { commandOf, type Kind, kindOf } from '../api/command.ts';
import { Changes } from './changes.ts';
import { markerOf, type Person } from './people.ts';
import { SHARED_EVERY } from './setup.ts';
import { Visit } from './visit.ts';

export interface DrivenSession {
  readonly n: number;
  readonly id: string;
  readonly path: string;
  readonly owner: Person;
  /** The person it is sometimes shared with; null for most sessions. */
  readonly guest: Person | null;
  /** The runs acknowledged last. */
  readonly runs: string[];
}

export interface DriverOptions {
  /** Reads the number of queued runs of all people. */
  readonly admin: Caller;
  readonly people: readonly Person[];
  readonly workspaces: string;
  /** The file where all commands record their start and end. */
  readonly trace: string;
  readonly seed: number;
  readonly onSession: (session: DrivenSession) => void;
  readonly onRun: (session: DrivenSession, run: string) => void;
}

const LAST_TRIES_MS = 120_000;
/** After the faults have ended, only a busy machine delays answers. */
export const CALM_PATIENCE_MS = 60_000;
const AT_ONCE = 24;
/** Sends nothing while so many runs are queued: all of them must end, even on a slow machine. */
const MOST_QUEUED = 150;
const BACKLOG_POLL_MS = 2000;
/** The access of open streams is checked every 15 s, and the database may be down. */
const VISIT_MS = 90_000;

/** The errors that each kind of request may get. */
const REFUSALS: Record<string, readonly string[]> = {
  'session.create': ['name_taken'],
  'message.send': ['session_ended', 'session_busy', 'idempotency_conflict'],
  'run.cancel': ['run_finished'],
  'run.retry': ['run_not_finished', 'session_ended'],
  'session.hold': ['session_state'],
  'session.resume': ['session_state'],
  'session.terminate': ['session_state', 'session_busy'],
  'session.reopen': ['session_state', 'session_busy'],
};

/** Several people who use the API through the load balancer, following a seeded plan. */
export class Driver {
  readonly sessions: DrivenSession[] = [];
  readonly requests: Request[] = [];
  readonly errors: string[] = [];
  readonly changes = new Changes();
  /** Shares that were added or removed, each verified by its guest. */
  shares = 0;
  /** Requests for other people's sessions. */
  probes = 0;
  readonly #options: DriverOptions;
  readonly #random: () => number;
  readonly #underWay = new Set<Promise<void>>();
  readonly #sharing = new Set<string>();
  #stopped = false;
  #stoppedAt = Number.POSITIVE_INFINITY;
  #names = 0;
  #mostSessions = 0;
  #full = false;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#random = seeded(options.seed + 100);
  }

  /** Creates this many sessions; there are at most twice as many later. */
  async prepare(sessions: number): Promise<void> {
    this.#mostSessions = 2 * sessions;
    while (this.#names < sessions) {
      await Promise.all(Array.from({ length: 8 }, () => this.#create()));
    }
  }

  /** Resolves after `stop`, when all operations under way have ended. */
  async run(rate: number): Promise<void> {
    const watching = this.#watchBacklog();
    while (!this.#stopped) {
      await delay((1000 / rate) * 2 * this.#random());
      // More at once would only pile up while the cluster is down.
      if (this.#underWay.size >= AT_ONCE) continue;
      const doing = this.#act().catch((error: unknown) => {
        this.errors.push(`the driver: ${String(error)}`);
      });
      this.#underWay.add(doing);
      void doing.then(() => this.#underWay.delete(doing));
    }
    await Promise.all([...this.#underWay, watching]);
  }

  async #watchBacklog(): Promise<void> {
    while (!this.#stopped) {
      const counts = await this.#options.admin.call('GET', '/api/v1/queue/counts', undefined);
      const queued: unknown = counts?.body?.queued;
      if (typeof queued === 'number') this.#full = queued > MOST_QUEUED;
      await delay(BACKLOG_POLL_MS);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#stoppedAt = performance.now();
    for (const { caller } of this.#options.people) caller.patienceMs = CALM_PATIENCE_MS;
  }

  async #act(): Promise<void> {
    const random = this.#random;
    const what = random();
    const session = this.#pick();
    const run = session.runs.at(-1 - Math.floor(random() ** 2 * session.runs.length));
    if (what < 0.04 && this.#names < this.#mostSessions) return this.#create();
    if (what < 0.53 || run === undefined) {
      return this.#full ? undefined : this.#send(session, kindOf(random()));
    }
    if (what < 0.6) return this.#onRun(session, 'run.cancel', run, 'cancel');
    if (what < 0.64) return this.#onRun(session, 'run.retry', run, 'retry');
    if (what < 0.68) return this.#onSession(session, 'hold');
    if (what < 0.76) return this.#onSession(session, 'resume');
    if (what < 0.775) return this.#onSession(session, 'terminate');
    if (what < 0.8) return this.#onSession(session, 'reopen');
    if (what < 0.86) return this.#share();
    if (what < 0.96) return this.#probe(session, run);
    return this.#list(session.owner);
  }

  /** Picks some sessions much more often than others, which makes their lanes queue runs. */
  #pick(): DrivenSession {
    const at = Math.floor(this.#random() ** 2 * this.sessions.length);
    return this.sessions[at]!;
  }

  async #create(): Promise<void> {
    const { people, workspaces, onSession } = this.#options;
    const n = this.#names++;
    const owner = people[n % people.length]!;
    const next = people[(n + 1) % people.length]!;
    const guest = n % SHARED_EVERY === 0 && next !== owner ? next : null;
    const path = join(workspaces, `workspace-${n}`);
    mkdirSync(path);
    const name = `${markerOf(owner.name, guest?.name ?? null)}${n}`;
    const body = {
      name,
      agent: { kind: 'shell' },
      workspace: { provider: 'directory', path },
      holdOnFailure: this.#random() < 0.3,
      idleTimeoutSeconds: 0,
    };
    while (!this.#givenUp()) {
      const answer = await owner.caller.call('POST', '/api/v1/sessions', body);
      this.#judge('session.create', answer);
      const sessions =
        answer?.code === 'name_taken'
          ? (await owner.caller.insist('GET', `/api/v1/sessions/search?name=${name}`))?.body
          : [answer?.body];
      const id: unknown = sessions?.find((one: { name?: string } | null) => one?.name === name)?.id;
      if (typeof id === 'string') {
        const session = { n, id, path, owner, guest, runs: [] };
        this.sessions.push(session);
        this.changes.exactlyOnce('session.create', id);
        onSession(session);
        return;
      }
      await delay(100);
    }
  }

  async #send(session: DrivenSession, kind: Kind, by = session.owner): Promise<void> {
    const random = this.#random;
    const n = this.requests.length;
    const interrupts = random() < 0.05;
    const keyed = random() < 0.85;
    const [hasty, again, followed] = [random(), random(), random()];
    const { owner, guest } = session;
    const command = commandOf(n, kind, 1 + Math.floor(random() * 10), this.#options.trace);
    const body = {
      message: `${command}\n# ${markerOf(owner.name, guest?.name ?? null)}`,
      onBusy: interrupts ? 'interrupt' : 'enqueue',
    };
    const key = keyed ? `key-${n}` : null;
    const acknowledged: string[] = [];
    this.requests.push({ n, key, session: session.id, acknowledged, outOfTurn: interrupts });
    const note = (answer: Answer | null): boolean => {
      this.#judge('message.send', answer);
      const id: unknown = answer?.body?.runId;
      if (typeof id !== 'string') return answer !== null;
      if (!acknowledged.includes(id)) acknowledged.push(id);
      if (!session.runs.includes(id)) session.runs.push(id);
      if (session.runs.length > 30) session.runs.shift();
      return true;
    };
    const path = `/api/v1/sessions/${session.id}/messages`;
    const options = key === null ? {} : { key };
    for (let tries = 0; !this.#givenUp(); tries++) {
      // Some callers give up before an answer is possible.
      const hurry = tries === 0 && keyed && hasty < 0.1 ? { patienceMs: 1 + hasty * 300 } : {};
      const answer = await by.caller.call('POST', path, body, { ...options, ...hurry });
      if (note(answer) || key === null) break;
      await delay(50 + tries * 50);
    }
    if (key !== null && acknowledged.length > 0 && again < 0.15) {
      note(await by.caller.call('POST', path, body, options));
    }
    const last = acknowledged.at(-1);
    if (last === undefined) return;
    if (followed < 0.15) this.#options.onRun(session, last);
    if (kind === 'endless') await this.#endEndless(session, last);
  }

  /** Otherwise endless runs would take all slots. */
  async #endEndless(session: DrivenSession, run: string): Promise<void> {
    await delay(500 + this.#random() * 3000);
    for (let done = false; !done && !this.#givenUp(); ) {
      done = (await this.#onRunAnswer(session, 'run.cancel', run, 'cancel')) !== null;
      if (!done) await delay(200);
    }
  }

  async #onRun(session: DrivenSession, action: string, run: string, way: string): Promise<void> {
    const answer = await this.#onRunAnswer(session, action, run, way);
    const id: unknown = way === 'retry' ? answer?.body?.id : undefined;
    if (typeof id === 'string') session.runs.push(id);
  }

  async #onRunAnswer({ owner }: DrivenSession, action: string, run: string, way: string) {
    this.changes.tried(action, run);
    const answer = await owner.caller.call('POST', `/api/v1/runs/${run}/${way}`, undefined);
    this.#judge(action, answer);
    return answer;
  }

  async #onSession({ id, owner }: DrivenSession, way: string): Promise<void> {
    const action = `session.${way}`;
    this.changes.tried(action, id);
    const answer = await owner.caller.call('POST', `/api/v1/sessions/${id}/${way}`, undefined);
    this.#judge(action, answer);
  }

  /** Adds and removes a share; each takes effect on every node as soon as it is acknowledged. */
  async #share(): Promise<void> {
    const among = this.sessions.filter(({ guest, id }) => guest !== null && !this.#sharing.has(id));
    const session = among[Math.floor(this.#random() * among.length)];
    const guest = session?.guest ?? null;
    if (session === undefined || guest === null) return;
    this.#sharing.add(session.id);
    const level = this.#random() < 0.5 ? 'view' : 'operate';
    if (await this.#putShares(session, [{ user: guest.name, level }])) {
      await this.#sees(guest, session, 200);
      const visit = new Visit(guest, session.id);
      if (level === 'operate') await this.#send(session, 'quick', guest);
      else await delay(this.#random() * 1000);
      if (await this.#putShares(session, [])) {
        await this.#sees(guest, session, 404);
        if (!(await visit.ended(VISIT_MS)))
          this.errors.push(`${guest.name} can still read ${session.id}, which is no longer shared`);
      }
      visit.leave();
    }
    this.#sharing.delete(session.id);
  }

  async #sees(guest: Person, { id }: DrivenSession, status: 200 | 404): Promise<void> {
    // Twice: the balancer picks one node, then the other.
    for (let i = 0; i < 2; i++) {
      const seen = await guest.caller.insist('GET', `/api/v1/sessions/${id}`);
      if (seen !== null && seen.status !== status)
        this.errors.push(`${guest.name} gets ${seen.status} of ${id}, and not ${status}`);
    }
    this.shares++;
  }

  async #putShares({ id, owner }: DrivenSession, shares: readonly object[]): Promise<boolean> {
    while (!this.#givenUp()) {
      this.changes.tried('session.share', id);
      const path = `/api/v1/sessions/${id}/shares`;
      const answer = await owner.caller.call('PUT', path, { shares });
      if (answer !== null && answer.code === null) {
        this.changes.changed('session.share', id);
        return true;
      }
      this.#judge('session.share', answer);
      await delay(100);
    }
    return false;
  }

  /** Requests someone else's session in every way: the answer must be 404. */
  async #probe({ id, owner, guest }: DrivenSession, run: string): Promise<void> {
    const others = this.#options.people.filter((one) => one !== owner && one !== guest);
    const stranger = others[Math.floor(this.#random() * others.length)];
    if (stranger === undefined) return;
    const ways: readonly [string, string, unknown?][] = [
      ['GET', `/api/v1/sessions/${id}`],
      ['GET', `/api/v1/sessions/${id}/events?follow=false`],
      ['GET', `/api/v1/sessions/${id}/runs`],
      ['GET', `/api/v1/runs/${run}`],
      ['GET', `/api/v1/runs/${run}/events?follow=false`],
      ['POST', `/api/v1/sessions/${id}/messages`, { message: 'echo stranger' }],
      ['POST', `/api/v1/runs/${run}/cancel`],
      ['POST', `/api/v1/sessions/${id}/hold`],
      ['PUT', `/api/v1/sessions/${id}/shares`, { shares: [] }],
    ];
    const [method, path, body] = ways[Math.floor(this.#random() * ways.length)]!;
    this.probes++;
    const answer = await stranger.caller.call(method, path, body);
    if (answer !== null && answer.status !== 404)
      this.errors.push(`${stranger.name}, a stranger: ${method} ${path}: ${answer.status}`);
  }

  /** The caller detects other people's sessions in an answer by their marker. */
  async #list({ caller }: Person): Promise<void> {
    const paths = [
      '/api/v1/sessions?limit=200',
      '/api/v1/runs?limit=200',
      '/api/v1/sessions/search?name=seen-by',
      '/api/v1/sessions/status/ACTIVE',
    ];
    const path = paths[Math.floor(this.#random() * paths.length)]!;
    this.#judge('list', await caller.call('GET', path, undefined));
  }

  #judge(what: string, answer: Answer | null): void {
    if (answer === null || answer.code === null || REFUSALS[what]?.includes(answer.code)) return;
    this.errors.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  #givenUp(): boolean {
    return performance.now() > this.#stoppedAt + LAST_TRIES_MS;
  }
}
