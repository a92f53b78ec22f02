import { groupBy, type Report, show } from '../../check/evidence.ts';
import type { EventRow, Evidence, SessionRow } from './evidence.ts';

/** From → to, with the allowed reasons. */
const LEGAL: Record<string, Record<string, readonly string[]>> = {
  PENDING: {
    ACTIVE: ['ready'],
    ERROR: ['failed'],
    COMPLETED: ['asked'],
    TERMINATED: ['asked', 'orphan'],
  },
  ACTIVE: {
    IDLE: ['quiet'],
    ERROR: ['failed'],
    COMPLETED: ['asked'],
    TERMINATED: ['asked', 'orphan'],
  },
  IDLE: {
    ACTIVE: ['message', 'connected'],
    ERROR: ['failed'],
    COMPLETED: ['asked'],
    TERMINATED: ['idle', 'asked', 'orphan'],
  },
  ERROR: {
    PENDING: ['message', 'retried'],
    COMPLETED: ['asked'],
    TERMINATED: ['asked', 'orphan'],
  },
  COMPLETED: { TERMINATED: ['asked'], PENDING: ['reopened'] },
  TERMINATED: { PENDING: ['message', 'reopened'] },
};

/** Each session's states are a legal sequence that ends with the state in its row. */
export function checkSessions(evidence: Evidence, report: Report): void {
  const lanes = groupBy(evidence.events, ({ lane }) => lane);
  for (const session of evidence.sessions) {
    const replay = new Replay(session.id, report);
    for (const event of lanes.get(session.id) ?? []) replay.step(event);
    replay.end(session);
  }
}

class Replay {
  readonly #id: string;
  readonly #report: Report;
  readonly #unfinished = new Set<string>();
  #status = 'PENDING';
  #reason = 'created';
  #connections = 0;

  constructor(id: string, report: Report) {
    this.#id = id;
    this.#report = report;
  }

  step(event: EventRow): void {
    const { type, runId, payload } = event;
    if (event.seq === 1 && type !== 'session.created') this.#wrong('begins with', event);
    if (type === 'run.queued' && runId !== null) this.#unfinished.add(runId);
    if (type === 'done' && runId !== null) this.#unfinished.delete(runId);
    if (type === 'session.connections') this.#connections = Number(payload['activeConnections']);
    if (type === 'session.status') this.#move(event);
  }

  end(session: SessionRow): void {
    const { status, reason, lastConnections, runId, queued } = session;
    if (status !== this.#status || reason !== this.#reason)
      this.#wrong(
        `ends as ${this.#status} (${this.#reason}) in its log, but the row says`,
        session,
      );
    if (lastConnections !== this.#connections)
      this.#report(
        'connections',
        `${this.#id}: the log says ${this.#connections}, ${show(session)}`,
      );
    if (lastConnections !== 0) this.#report('connections', `at the end: ${show(session)}`);
    if (runId !== null || queued !== 0) this.#report('unended', show(session));
  }

  #move(event: EventRow): void {
    const { from, to, reason } = event.payload as Record<string, string>;
    if (from !== this.#status) this.#wrong(`is ${this.#status}, and then`, event);
    if (!LEGAL[from ?? '']?.[to ?? '']?.includes(reason ?? '')) this.#wrong('goes', event);
    // A message reopens only a session that ended on its own.
    if (from === 'TERMINATED' && reason === 'message' && this.#reason === 'asked')
      this.#wrong('was reopened by a message:', event);
    const busy = this.#unfinished.size > 0 || this.#connections > 0;
    if (busy && (to === 'IDLE' || reason === 'idle'))
      this.#wrong(`has ${this.#unfinished.size} runs, ${this.#connections} connections:`, event);
    this.#status = to ?? '';
    this.#reason = reason ?? '';
  }

  #wrong(what: string, value: unknown): void {
    this.#report('status', `session ${this.#id} ${what} ${show(value)}`);
  }
}
